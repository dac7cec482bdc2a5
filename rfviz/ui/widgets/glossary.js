// Shows what a term means while the pointer is on it, when it is tapped, and when the keyboard reaches it.
// The links are part of the text; GLOSSARY has the name and the definition by the address of a link.
function followGlossary() {
  const card = Object.assign(document.createElement("div"), { id: "glossary-card", hidden: true });
  card.setAttribute("role", "tooltip");
  document.body.append(card);
  let shown = null;
  let waiting = 0;
  const termAt = (target) => target.closest?.('a[href*="#term-"]');

  function show(link) {
    const found = GLOSSARY[decodeURIComponent(link.hash)];
    if (!found) return;
    clearTimeout(waiting);
    if (shown === link) return;
    hide();
    const [name, definition] = found;
    const title = Object.assign(document.createElement("strong"), { textContent: name });
    // A definition has no Markdown but formulas in italics.
    const parts = definition.split("*").map((part, place) => {
      return place % 2 ? Object.assign(document.createElement("em"), { textContent: part }) : part;
    });
    card.replaceChildren(title, " ", ...parts);
    const page = document.querySelector("[data-testid=stApp]") ?? document.body;
    card.style.background = getComputedStyle(page).backgroundColor;
    card.style.color = getComputedStyle(link).color;
    card.hidden = false;
    link.setAttribute("aria-describedby", card.id);
    shown = link;
    place(link);
  }
  function place(link) {
    const [line] = link.getClientRects();
    if (!line || line.bottom < 0 || line.top > innerHeight) return hide();
    const { offsetWidth: width, offsetHeight: height } = card;
    const above = line.bottom + height + 8 > innerHeight && line.top > height + 8;
    card.style.left = `${Math.max(8, Math.min(line.left, document.documentElement.clientWidth - width - 8))}px`;
    card.style.top = `${above ? line.top - height - 4 : line.bottom + 4}px`;
  }
  function hide() {
    clearTimeout(waiting);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    card.hidden = true;
  }
  // The pointer may move on to the card, to read or to copy it.
  const hideSoon = () => ((waiting = setTimeout(hide, 200)), undefined);

  const ears = {
    pointerover({ target, pointerType }) {
      const link = termAt(target);
      if (pointerType === "touch") return;
      if (link) show(link);
      else if (card.contains(target)) clearTimeout(waiting);
      else if (shown && shown !== document.activeElement) (clearTimeout(waiting), hideSoon());
    },
    focusin({ target }) {
      const link = termAt(target);
      if (link) show(link);
      else if (shown) hide();
    },
    focusout({ target }) {
      if (target === shown) hideSoon();
    },
    click(event) {
      const link = termAt(event.target);
      if (link) {
        event.preventDefault(); // the place that it names is the card
        event.stopPropagation();
        show(link);
      } else if (shown && !card.contains(event.target)) hide();
    },
    keydown(event) {
      if (event.key === "Escape" && shown) hide();
    },
    scroll: () => shown && place(shown),
  };
  for (const [name, ear] of Object.entries(ears)) document.addEventListener(name, ear, true);
  // What a term stood in may be drawn anew, and go.
  const timer = setInterval(() => shown && !shown.isConnected && hide(), 500);
  return () => {
    for (const [name, ear] of Object.entries(ears)) document.removeEventListener(name, ear, true);
    clearInterval(timer);
    clearTimeout(waiting);
    card.remove();
  };
}

// Undo and redo of control changes. How many steps there are is said by the part of the page that writes the address.
const groups = new WeakMap();
const ARROWS = { "-1": "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3", 1: "m15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3" };
const WORDS = { "-1": ["Undo", "Ctrl+Z"], 1: ["Redo", "Ctrl+Shift+Z"] };

// Where the keys mean the text that is being written.
function writing() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (!element || element.isContentEditable || element.tagName === "TEXTAREA") return !!element;
  return element.tagName === "INPUT" && !["range", "checkbox", "radio", "button"].includes(element.type);
}

class Steps {
  constructor(root) {
    Object.assign(this, { root, count: 0 });
    this.buttons = [-1, 1].map((by) => {
      const button = document.createElement("button");
      button.type = "button";
      button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ARROWS[by]}"/></svg>`;
      button.title = `${WORDS[by][0]} (${WORDS[by][1]})`;
      button.setAttribute("aria-label", `${WORDS[by][0]} a change of the controls`);
      button.setAttribute("aria-keyshortcuts", WORDS[by][1].replace("Ctrl", "Control"));
      button.onclick = () => this.send({ by });
      return button;
    });
    root.replaceChildren(...this.buttons);
    this.watching = new AbortController();
    const { signal } = this.watching;
    window.addEventListener("rfviz:steps", () => this.look(), { signal });
    window.addEventListener("rfviz:restore", ({ detail }) => this.send({ restore: detail }), { signal });
    window.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  look() {
    if (!this.root.isConnected) return this.watching.abort();
    const steps = window.rfviz.steps?.[this.page];
    this.root.style.visibility = steps ? "visible" : "hidden"; // a page without controls
    const { back, forward } = steps ?? { back: 0, forward: 0 };
    this.buttons[0].disabled = !back;
    this.buttons[1].disabled = !forward;
  }

  send(asked) {
    if (!this.root.isConnected) return this.watching.abort();
    this.count = Math.max(this.count + 1, Date.now());
    this.setStateValue("asked", { ...asked, count: this.count });
  }

  key(event) {
    if (!this.root.isConnected) return this.watching.abort();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || writing()) return;
    const key = event.key.toLowerCase();
    const by = key === "z" ? (event.shiftKey ? 1 : -1) : key === "y" && !event.shiftKey ? 1 : 0;
    if (!by) return;
    event.preventDefault();
    if (!this.buttons[by < 0 ? 0 : 1].disabled) this.send({ by });
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".history");
  if (!groups.has(root)) groups.set(root, new Steps(root));
  const steps = groups.get(root);
  steps.page = data.page;
  steps.setStateValue = setStateValue;
  steps.look();
}

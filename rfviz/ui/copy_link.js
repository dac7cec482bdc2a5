// The address as it is when it is asked for: the controls write theirs to it a moment after they have moved.
export default function ({ parentElement }) {
  const field = parentElement.querySelector("input");
  const button = parentElement.querySelector("button");
  const show = () => (field.value = window.location.href);
  show();
  const timer = setInterval(() => (field.isConnected ? show() : clearInterval(timer)), 500);
  field.onfocus = () => field.select();
  button.onclick = async () => {
    show();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      // Browsers give the clipboard to secure pages alone; what is selected can be copied by hand.
      field.focus();
      button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  };
  return () => clearInterval(timer);
}

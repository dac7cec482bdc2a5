// The identity provider sends everybody back to the first page, so the tab remembers which one they came for.
const KEY = "rfviz:came-for";

export default function ({ data }) {
  if (!data.signed_in) {
    sessionStorage.setItem(KEY, location.href);
    return;
  }
  const wanted = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (wanted && wanted !== location.href) location.replace(wanted);
}

"use strict";
// Shows the cases that the filters mean. The filters stand in the address, so that a link keeps them.

/**
 * The first element that a selector means.
 * @template {HTMLElement} T
 * @param {ParentNode} within
 * @param {string} selector
 * @param {new () => T} type
 */
function element(within, selector, type) {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`no element ${selector}`);
  return found;
}

const form = element(document, "#filters", HTMLFormElement);
const search = element(form, "[name=q]", HTMLInputElement);
const machine = element(form, "[name=machine]", HTMLSelectElement);
const cause = element(form, "[name=cause]", HTMLSelectElement);
/** @type {NodeListOf<HTMLInputElement>} */ const verdicts = form.querySelectorAll("[name=verdict]");
const shown = element(document, "#shown", HTMLOutputElement);
const said = element(document, "#said", HTMLParagraphElement);
/** @type {NodeListOf<HTMLLIElement>} */ const rows = document.querySelectorAll("#cases > li");
const cases = Array.from(rows, (row) => ({ row, text: (row.textContent ?? "").toLowerCase() }));

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Array.from(verdicts).filter((box) => box.checked).map((box) => box.value);
  let count = 0;
  for (const { row, text } of cases) {
    const meant =
      (wanted.length === 0 || wanted.includes(row.className)) &&
      (machine.value === "" || row.dataset.machine === machine.value) &&
      (cause.value === "" || row.dataset.cause === cause.value) &&
      words.every((word) => text.includes(word));
    row.hidden = !meant;
    if (meant) count += 1;
  }
  shown.textContent = count + " of " + cases.length + " cases";
}

/** The address of these filters; empty ones are left out. */
function address() {
  const wanted = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") wanted.append(name, String(value));
  return "#" + wanted;
}

/** Gives the filters the values that an address has; the others become empty. */
function fill(/** @type {URLSearchParams} */ wanted) {
  search.value = wanted.get("q") ?? "";
  machine.value = wanted.get("machine") ?? "";
  cause.value = wanted.get("cause") ?? "";
  for (const box of verdicts) box.checked = wanted.getAll("verdict").includes(box.value);
  filter();
}

/** Takes the filters from the address, or opens the case that it names. The address stays: it is a link to the case. */
function follow() {
  const named = document.getElementById(location.hash.slice(1));
  if (named === null || !named.matches("#cases > li")) return fill(new URLSearchParams(location.hash.slice(1)));
  fill(new URLSearchParams());
  const details = named.querySelector("details");
  if (details !== null) details.open = true;
  (named.querySelector("summary") ?? named).scrollIntoView({ block: "center" });
}

/** Keeps what has the focus, and what an address names, below the filters, which stay in view of a wide window. */
function makeRoom() {
  const covered = getComputedStyle(form).position === "sticky" ? form.offsetHeight : 0;
  document.documentElement.style.scrollPaddingTop = `${covered + 8}px`;
}

function changed() {
  filter();
  try {
    history.replaceState(null, "", address());
  } catch {
    // A page in a sandbox has no history; the filters work all the same.
  }
}

form.addEventListener("input", changed);
form.addEventListener("reset", () => setTimeout(changed));
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);

/** How long a button shows whether it copied, in milliseconds. */
const SHOWN_FOR = 4000;

/** Copies what is in front of a button, and says whether that worked, also to those who hear the page. */
async function copy(/** @type {HTMLButtonElement} */ button) {
  const text = button.parentElement?.querySelector("code")?.textContent ?? "";
  let [mark, result] = ["✓", "copied"];
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    [mark, result] = ["✗", "this browser does not let the page copy"];
  }
  button.textContent = mark;
  button.title = result;
  said.textContent = result;
  setTimeout(() => {
    button.textContent = "⧉";
    button.title = "copy the command";
    said.textContent = "";
  }, SHOWN_FOR);
}

for (const button of document.querySelectorAll(".look button")) if (button instanceof HTMLButtonElement) button.hidden = false;
document.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLButtonElement && target.matches(".look button")) copy(target);
});
form.hidden = false;
makeRoom();
new ResizeObserver(makeRoom).observe(form);
follow();

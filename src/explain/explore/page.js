"use strict";
// Moves in a recorded run. Of each step there is where it goes and what it wrote, in columns of numbers; of some steps, of
// short runs all, also the state. A state is a list of sections, each a title and the indices of its lines. Some states are
// written in full, the others as what differs from the state before.

/**
 * The data of a run, as `page.rs` writes them. `first` is the number of the first state, `count` how many there are, and
 * `all` the number of the last one of the run; below, a state has its index in the page. `cut` says what is missing.
 * `ended` and `failed` are about the last state, whose instruction may have failed. `spans` are the states that the page
 * has: the index of the first one, and how many follow each other. `data` are the names of data that states refer to by
 * index. A write is the first and the last number of each range of places; `places` has the number of each place that
 * lines refer to: from `compounds` on, those in objects that a datum may not hold in each state, and from `cellless` on,
 * those whose writes only states show. `sets` are the states before which the vector set something, and what. A demand
 * has the number of the state that is compared, and the text by datum. `widths` are the bytes of a number in each column.
 * @typedef {{ id: string, command: string, first: number, count: number, all: number, cut: string | null,
 *   ended: string | null, failed: boolean, lines: string[], codes: Code[], positions: Position[],
 *   spans: [index: number, count: number][], states: Changes[], data: string[], places: number[], compounds: number,
 *   cellless: number, writes: number[][], sets: [index: number, write: number][], failures: Failure[], source: string[],
 *   demands: [step: number, of: Record<number, string>][], widths: number[] }} RunData
 * @typedef {Uint8Array | Uint16Array | Uint32Array} Column
 * A run with its columns, which have for each state its position, the number of frames, and what the instruction before
 * it wrote. `offsets` are where the states of each span begin.
 * @typedef {RunData & { position: Column, depth: Column, wrote: Column, offsets: number[] }} Run
 * @typedef {[code: number, pc: number | null, line: number | null]} Position
 * @typedef {[pc: number, label: string, text: string, line: number | null, remark: string]} CodeLine
 * @typedef {{ name: string | null, isPlayed: boolean, lines: CodeLine[], unlisted: CodeLine[] }} Code
 * A page of two runs has both. `difference` is the number of the first state that differs, `compared` that of the last
 * one that was compared. `differs` has each state in which something else differs than in the one before it: the lines
 * about it, as indices of `differing`, and the data of each run whose rows differ, as an index of `differingData`.
 * @typedef {{ names: string[], start: number, difference: number | null, compared: number, differing: string[],
 *   differingData: string[][], differs: [step: number, lines: number[], data: [one: number, other: number]][] }} Pair
 * @typedef {{ at: string, step: number, text: string[], line: string, datum: number | null, cause: number | null }} Failure
 * @typedef {[title: number, rows: number[]]} Section
 * @typedef {[null, Section[]] | [section: number, start: number, end: number, inserted: number[]][]} Changes
 * @typedef {[depth: number, name: string, value: string, isOut: 0 | 1, datum: number | null, places: number[],
 *   whole?: string]} Line
 */

/**
 * A row of a state: its datum, which is the same in all states, and the places whose writes change it.
 * @typedef {{ datum: number | null, places: number[], depth: number, label: string, value: string, whole: string,
 *   isOut: boolean, path: string }} Row
 */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no element ${id}`);
  return found;
}

const view = {
  all: element("all", HTMLOutputElement),
  cut: element("cut", HTMLParagraphElement),
  absent: element("absent", HTMLDivElement),
  code: element("code", HTMLOListElement),
  codeTitle: element("code-title", HTMLHeadingElement),
  differs: element("differs", HTMLDivElement),
  difference: element("difference", HTMLButtonElement),
  panes: element("panes", HTMLDivElement),
  search: element("search", HTMLInputElement),
  sides: element("sides", HTMLDivElement),
  condition: element("condition", HTMLInputElement),
  details: element("details", HTMLElement),
  detailsText: element("details-text", HTMLParagraphElement),
  detailsTitle: element("details-title", HTMLHeadingElement),
  failure: element("failure", HTMLDivElement),
  failures: element("failures", HTMLSelectElement),
  failuresPart: element("failures-part", HTMLSpanElement),
  filter: element("filter", HTMLInputElement),
  moves: element("moves", HTMLFormElement),
  page: element("page", HTMLElement),
  source: element("source", HTMLOListElement),
  sourcePart: element("source-part", HTMLDivElement),
  state: element("state", HTMLDivElement),
  status: element("status", HTMLParagraphElement),
  step: element("step", HTMLInputElement),
  time: element("time", HTMLInputElement),
  timeDrawing: element("time-drawing", HTMLDivElement),
  timeText: element("time-text", HTMLParagraphElement),
  wait: element("wait", HTMLParagraphElement),
  writes: element("writes", HTMLOListElement),
  writesPart: element("writes-part", HTMLDivElement),
  writesTitle: element("writes-title", HTMLHeadingElement),
};

/** @type {Run} */ let run;
let now = 0;
/** The index of the failing assertion that is shown. */
let shownFailure = 0;
/** The sections of the state; empty if the page does not have it. */
/** @type {Section[]} */ let sections = [];
/** The selected datum, and the places that it had where it was seen last. */
/** @type {number | null} */ let datum = null;
/** @type {number[]} */ let places = [];
/** The lines of the code, and the index of the selected one. */
/** @type {CodeLine[]} */ let codeLines = [];
let selectedCode = 0;
/** The lines of states that were read. */
/** @type {Map<number, Line>} */ let lines = new Map();

/** Whether values of a stack are numbered from the other end than the machine does. */
let isCountedOtherwise = false;
/** What was searched last, and whether it is typed to be searched backward. */
let sought = "";
let isSoughtBack = false;

/** Two runs beside each other; `null` for a page of one. */
/** @type {Pair | null} */ let pair = null;

/** What is shown of a run. Of two, the variables above are about the one that has the keys. */
const parts = () => ({ absent: view.absent, code: view.code, codeTitle: view.codeTitle, source: view.source, sourcePart: view.sourcePart, state: view.state });
const shown = () => ({ run, now, shownFailure, sections, datum, places, codeLines, selectedCode, lines, parts: parts() });
/** @type {ReturnType<typeof shown>[]} */ const sides = [];
let active = 0;
/** Whether the variables are those of the run that does not have the keys, for a moment. */
let isAside = false;

/** Makes the variables those of the run with this index. */
function enter(/** @type {number} */ index) {
  sides[active] = shown();
  active = index;
  const side = sides[index];
  ({ run, now, shownFailure, sections, datum, places, codeLines, selectedCode, lines } = side);
  Object.assign(view, side.parts);
}

/** Calls a function with the variables of the other run. */
function inOther(/** @type {() => void} */ work) {
  if (pair === null) return;
  const index = active;
  enter(1 - index);
  isAside = true;
  work();
  isAside = false;
  enter(index);
}

/** Makes room for two runs: the panes of the second one are a copy. */
function openPair(/** @type {Pair} */ data, /** @type {Run[]} */ runs) {
  const copy = /** @type {HTMLElement} */ (view.panes.cloneNode(true));
  for (const it of [copy, ...copy.querySelectorAll("*")]) {
    if (it.id !== "") it.id += "-2";
    const label = it.getAttribute("aria-labelledby");
    if (label !== null) it.setAttribute("aria-labelledby", label + "-2");
  }
  view.sides.append(copy);
  view.sides.className = "pair";
  element("state-title", HTMLHeadingElement).textContent = data.names[0] + ": state";
  element("state-title-2", HTMLHeadingElement).textContent = data.names[1] + ": state";
  run = runs[0];
  sides[0] = shown();
  sides[1] = {
    ...shown(),
    run: runs[1],
    lines: new Map(),
    parts: {
      absent: element("absent-2", HTMLDivElement),
      code: element("code-2", HTMLOListElement),
      codeTitle: element("code-title-2", HTMLHeadingElement),
      source: element("source-2", HTMLOListElement),
      sourcePart: element("source-part-2", HTMLDivElement),
      state: element("state-2", HTMLDivElement),
    },
  };
  pair = data;
  // The other machine is what the page is about.
  enter(1);
  view.difference.hidden = data.difference === null;
}

/** Unpacks data: the length of their text in four bytes, the text, and columns. */
async function unpack(/** @type {string} */ text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) packed[at] = letters.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = await new Response(stream).arrayBuffer();
  const end = 4 + new DataView(bytes).getUint32(0, true);
  return { data: JSON.parse(new TextDecoder().decode(bytes.slice(4, end))), columns: bytes.slice(end) };
}

/** A run with its columns. */
function runOf(/** @type {{ data: RunData, columns: ArrayBuffer }} */ { data, columns }) {
  let end = 0;
  const [position, depth, wrote] = data.widths.map((width) => {
    const start = end;
    end += width * data.count;
    const numbers = columns.slice(start, end);
    return width === 1 ? new Uint8Array(numbers) : width === 2 ? new Uint16Array(numbers) : new Uint32Array(numbers);
  });
  let states = 0;
  const offsets = data.spans.map(([, count]) => (states += count) - count);
  return /** @type {Run} */ ({ ...data, position, depth, wrote, offsets });
}

async function open() {
  const text = element("data", HTMLScriptElement).textContent ?? "";
  const parts = await Promise.all(text.split(",").map(unpack));
  if (parts.length > 1) openPair(parts[0].data, parts.slice(1).map(runOf));
  else run = runOf(parts[0]);
  listen();
  paintRun();
  const cut = (pair === null ? [run] : sides.map((side) => side.run)).flatMap((it) => it.cut ?? []).join("; ");
  if (cut !== "") {
    view.cut.textContent = cut;
    view.cut.hidden = false;
  }
  view.page.hidden = false;
  view.wait.hidden = true;
  follow();
}

/** Shows what the moves say about a run. */
function paintRun() {
  view.all.textContent = String(run.all);
  view.step.max = String(run.first + lastIndex());
  view.failuresPart.hidden = run.failures.length < 2;
  view.failures.replaceChildren(...run.failures.map(({ line }, index) => new Option(line, String(index))));
}

/** The state after changes. A section that does not change is the same object. */
function changed(/** @type {Section[]} */ state, /** @type {Changes} */ changes) {
  if (isAll(changes)) return changes[1];
  if (changes.length === 0) return state;
  const next = state.slice();
  for (const [index, start, end, inserted] of changes) {
    const [title, old] = next[index];
    next[index] = [title, [...old.slice(0, start), ...inserted, ...old.slice(old.length - end)]];
  }
  return next;
}

/**
 * Whether changes are all sections of a state.
 * @param {Changes} changes
 * @returns {changes is [null, Section[]]}
 */
function isAll(changes) {
  return changes[0] === null;
}

/** The index of the last state. */
function lastIndex() {
  return run.count - 1;
}

/** The last span that begins at a state or before it; -1 if there is none. */
function spanBefore(/** @type {number} */ index) {
  let [low, high] = [0, run.spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.spans[middle][0] <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The number of a state among those that the page has; -1 if it does not have it. */
function numberOfState(/** @type {number} */ index) {
  const span = spanBefore(index);
  if (span < 0) return -1;
  const inSpan = index - run.spans[span][0];
  return inSpan < run.spans[span][1] ? run.offsets[span] + inSpan : -1;
}

/** Whether the page lacks one of these states. */
function isLacking(/** @type {number} */ from, /** @type {number} */ to) {
  const [first, count] = run.spans[spanBefore(from)] ?? [0, 0];
  return from <= to && to >= first + count;
}

/** The state that the page has and that is nearest to this one. */
function nearestTo(/** @type {number} */ index) {
  const span = spanBefore(index);
  const around = run.spans.slice(Math.max(0, span), span + 2).flatMap(([first, count]) => [first, first + count - 1]);
  if (numberOfState(index) >= 0) return index;
  return around.reduce((best, at) => (Math.abs(at - index) < Math.abs(best - index) ? at : best));
}

/** Gives the sections of states, best in their order; `null` for one that the page does not have. */
function reader() {
  let read = -1;
  /** @type {Section[]} */ let state = [];
  return (/** @type {number} */ index) => {
    const number = numberOfState(index);
    if (number < 0) return null;
    if (number < read) read = -1;
    // The first state of each span is written in full.
    let at = number;
    while (at > read && !isAll(run.states[at])) at -= 1;
    if (at === read) at += 1;
    for (; at <= number; at += 1) state = changed(state, run.states[at]);
    read = number;
    return state;
  };
}

/** The sections of a state; `null` if the page does not have it. */
function stateAt(/** @type {number} */ index) {
  return reader()(index);
}

/** How the run ended, if it did in this state. */
function endedAt(/** @type {number} */ index) {
  return index === lastIndex() ? run.ended : null;
}

/** Where a state is. */
function positionAt(/** @type {number} */ index) {
  return run.positions[run.position[index]];
}

/** The title of a section, and whether its rows are a stack: 1 if the machine numbers it from the top, 0 from the bottom. */
function headOf(/** @type {Section} */ [title]) {
  return /** @type {[title: string, counts: 0 | 1 | null]} */ (JSON.parse(run.lines[title]));
}

function titleOf(/** @type {Section} */ section) {
  const [title, counts] = headOf(section);
  if (counts === null || !isCountedOtherwise) return title;
  return `${title}; [0] is the ${counts === 0 ? "top" : "bottom"} one`;
}

/** Whether the rows of a section are numbered from the top, if the machine's own numbers count or others. */
function isFromTop(/** @type {Section} */ section, /** @type {boolean} */ isOtherwise) {
  const [, counts] = headOf(section);
  return counts !== null && (counts === 1) !== isOtherwise;
}

/** A line of a state, which is read once. */
function lineAt(/** @type {number} */ index) {
  let line = lines.get(index);
  if (line === undefined) {
    line = /** @type {Line} */ (JSON.parse(run.lines[index]));
    lines.set(index, line);
  }
  return line;
}

function rowsOf(/** @type {Section} */ section) {
  /** @type {string[]} */ const around = [titleOf(section)];
  const fromTop = isFromTop(section, isCountedOtherwise);
  let above = 0;
  return section[1].map((index) => {
    const [depth, name, value, out, its, at, whole] = lineAt(index);
    const label = fromTop && depth === 0 && its !== null ? `[${above++}]` : name;
    around.length = depth + 1;
    around.push(label);
    const isOut = out === 1;
    return /** @type {Row} */ ({ datum: its, places: at, depth, label, value, whole: whole ?? value, isOut, path: around.join("\n") });
  });
}

/** The lines of the code at a position, with the next instruction where the listing does not have it. */
function codeOf(/** @type {Position} */ [code, pc]) {
  const { lines: listed, unlisted } = run.codes[code];
  const line = unlisted.find(([at]) => at === pc);
  if (line === undefined) return listed;
  const after = listed.findIndex(([at]) => at > line[0]);
  return after < 0 ? [...listed, line] : [...listed.slice(0, after), line, ...listed.slice(after)];
}

/** The instructions of the code that were read, by program counter. */
/** @type {WeakMap<Code, Map<number, CodeLine>>} */ const instructions = new WeakMap();

/** The instruction at a position. */
function instructionAt(/** @type {Position} */ [index, pc]) {
  const code = run.codes[index];
  let known = instructions.get(code);
  if (known === undefined) {
    known = new Map([...code.unlisted, ...code.lines].map((line) => [line[0], line]));
    instructions.set(code, known);
  }
  return pc === null ? undefined : known.get(pc);
}

/** The next instruction of a state. */
function instructionOf(/** @type {number} */ index) {
  return endedAt(index) === null ? instructionAt(positionAt(index)) : undefined;
}

function go(/** @type {number} */ index) {
  const step = run.first + Math.max(0, Math.min(index, lastIndex()));
  inOther(() => goAlone(step - run.first));
  goAlone(index);
  paintDifferences();
}

function goAlone(/** @type {number} */ index) {
  now = Math.max(0, Math.min(index, lastIndex()));
  const state = stateAt(now);
  sections = state ?? [];
  // At the end, the code of the last instruction stays.
  const position = positionAt(positionAt(now)[1] === null && now > 0 ? now - 1 : now);
  codeLines = codeOf(position);
  selectedCode = codeLines.findIndex(([at]) => at === position[1]);
  const row = sections.flatMap(rowsOf).find((row) => datum !== null && row.datum === datum);
  // A slot may hold another compound.
  if (row !== undefined) places = row.places;
  paint();
  const end = endedAt(now);
  const ended = end === null ? [] : ["ended: " + end];
  const gone = state === null || row !== undefined || datum === null ? [] : [`${run.data[datum]} is not in this state`];
  const next = ended.length + gone.length > 0 ? [] : [`step ${run.first + now}, next ${instructionOf(now)?.[2] ?? "nothing"}`];
  const absent = state === null ? ["this state is not in the page"] : [];
  say([...ended, ...gone, ...next, ...absent].join("; "));
  keepLink();
}

/** What follows the address of the page to open it here, with the selected datum and the assertion that is shown. */
function link() {
  const parameters = new URLSearchParams({ step: String(run.first + now) });
  if (pair !== null) parameters.set("run", String(active));
  if (run.failures.length > 1) parameters.set("failure", String(shownFailure + 1));
  if (datum !== null) parameters.set("datum", run.data[datum]);
  return "#" + parameters;
}

function keepLink() {
  try {
    history.replaceState(null, "", link());
  } catch {
    // A page in a sandbox has no history.
  }
}

/** What differs in states with this number: its lines, and the data of the run that has the keys. */
function differencesAt(/** @type {number} */ step) {
  const none = { lines: /** @type {string[]} */ ([]), data: /** @type {Set<string>} */ (new Set()) };
  if (pair === null || step > pair.compared) return none;
  let [low, high] = [0, pair.differs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pair.differs[middle][0] <= step) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return none;
  const { differing, differingData } = pair;
  const [, lines, data] = pair.differs[low - 1];
  return { lines: lines.map((line) => differing[line]), data: new Set(differingData[data[active]]) };
}

function paintDifferences() {
  if (pair === null) return;
  const step = run.first + now;
  const { lines } = differencesAt(step);
  const none = "no difference in what both report here";
  view.differs.hidden = false;
  view.differs.textContent = step <= pair.compared ? (lines.length > 0 ? lines : [none]).join("\n")
    : `not compared: this page compares up to step ${pair.compared}`;
}

function say(/** @type {string} */ text) {
  view.status.textContent = text;
}

function paint() {
  view.step.value = String(run.first + now);
  paintCode();
  paintState();
  paintSource();
  paintMoves();
  paintTime();
  paintDetails();
}

/** Shows the failing assertion, and which moves there are. */
function paintMoves() {
  const failure = run.failures[shownFailure];
  view.failure.hidden = failure === undefined;
  view.failure.textContent = failure?.text.join("\n") ?? "";
  view.failures.value = String(shownFailure);
  for (const button of view.moves.querySelectorAll("button")) {
    const move = button.dataset.move ?? "";
    button.disabled =
      (move === "failure" && run.failures.length === 0) ||
      (move === "lastFailure" && shownFailure === 0) ||
      (move === "nextFailure" && shownFailure >= run.failures.length - 1) ||
      (["first", "back"].includes(move) && now === 0) ||
      (["last", "forward"].includes(move) && now === lastIndex());
  }
}

/** Shows this number of lines of code, around the current one: a program may have many. */
const MOST_CODE = 400;

function paintCode() {
  const [code, pc] = positionAt(now);
  const failed = run.failed && now === lastIndex();
  const all = codeLines;
  view.codeTitle.textContent = (pair === null ? "" : pair.names[active] + ": ") + (run.codes[code].name ?? "code");
  const from = Math.max(0, selectedCode - MOST_CODE / 2);
  const items = all.slice(from, from + MOST_CODE).map(([at, label, text, source, remark], offset) => {
    const item = document.createElement("li");
    const mark = at !== pc ? " " : failed ? "!" : ">";
    item.textContent = `${mark} ${label}  ${text}${remark}${source === null ? "" : "  ; line " + source}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(from + offset === selectedCode));
    item.dataset.code = String(from + offset);
    if (at === pc) item.className = "now";
    return item;
  });
  view.code.replaceChildren(...items);
  tellSelected(view.code);
  scrollInside(view.code, ".now, [aria-selected=true]");
}

function paintState() {
  const rowsBefore = (now > 0 ? stateAt(now - 1) : null)?.flatMap(rowsOf) ?? [];
  const before = new Map(rowsBefore.map((row) => [row.datum, row.value]));
  const words = view.filter.value.toLowerCase();
  const differing = differencesAt(run.first + now).data;
  const items = sections.flatMap((section) => {
    const rows = rowsOf(section).filter((row) => `${row.path}\n${row.value}`.toLowerCase().includes(words));
    if (rows.length === 0 && words !== "") return [];
    const heading = document.createElement("div");
    heading.textContent = titleOf(section);
    heading.className = "heading";
    heading.setAttribute("role", "presentation");
    return [heading, ...rows.map((row) => stateItem(row, isIn(differing, row) ? "≠" : sign(row, before)))];
  });
  view.state.replaceChildren(...items);
  const isAbsent = numberOfState(now) < 0;
  view.state.hidden = isAbsent;
  view.absent.hidden = !isAbsent;
  const [text, command] = view.absent.children;
  if (isAbsent) {
    text.textContent = `This page does not have the values of step ${run.first + now}. The key e goes to the nearest state that it has, step ${run.first + nearestTo(now)}. In a terminal, this opens step ${run.first + now}:`;
    command.textContent = commandHere();
  }
  tellSelected(view.state);
  scrollInside(view.state, "[aria-selected=true], .changed");
}

/** Tells assistive technology which row of a list is selected. */
function tellSelected(/** @type {HTMLElement} */ list) {
  const option = list.querySelector("[aria-selected=true]");
  if (option === null) return list.removeAttribute("aria-activedescendant");
  option.id = `${list.id}-selected`;
  list.setAttribute("aria-activedescendant", option.id);
}

/** What the case demands of a datum in this state, or in the next one that is compared. */
function demandedOf(/** @type {number | null} */ its) {
  const state = run.demands.find(([step]) => step >= run.first + now);
  return its === null ? undefined : state?.[1][its];
}

/** What is written after the value of a row. Numbers of several digits are demanded in two notations. */
function besideOf(/** @type {Row} */ { datum: its, value }) {
  const demanded = demandedOf(its);
  if (demanded === undefined) return "";
  const isIt = value === demanded || value.startsWith(demanded + ",") || demanded.endsWith(` (${value})`);
  return isIt ? ", as demanded" : `, demanded ${demanded}`;
}

/** Whether a row is one of these data. */
function isIn(/** @type {Set<string>} */ data, /** @type {Row} */ row) {
  return row.datum !== null && data.has(run.data[row.datum]);
}

/** `*` if the last instruction wrote a row, `~` if it changed otherwise. */
function sign(/** @type {Row} */ row, /** @type {Map<number | null, string>} */ before) {
  if (isWritten(now, row.places)) return "*";
  return (before.get(row.datum) ?? row.value) === row.value ? " " : "~";
}

function stateItem(/** @type {Row} */ row, /** @type {string} */ sign) {
  const item = document.createElement("div");
  const out = row.isOut ? " (out of scope)" : "";
  const also = besideOf(row);
  item.textContent = `${sign} ${"  ".repeat(row.depth)}${row.label}: ${row.value}${also}${out}`;
  item.className = [sign === " " ? "" : "changed", row.isOut ? "out" : ""].join(" ").trim();
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(datum !== null && row.datum === datum));
  if (row.datum !== null) item.dataset.datum = String(row.datum);
  return item;
}

function paintSource() {
  view.sourcePart.hidden = run.source.length === 0;
  const current = positionAt(now)[2];
  const items = run.source.map((text, index) => {
    const item = document.createElement("li");
    item.textContent = `${index + 1 === current ? ">" : " "} ${index + 1}  ${text}`;
    if (index + 1 === current) item.className = "now";
    return item;
  });
  view.source.replaceChildren(...items);
  scrollInside(view.source, ".now");
}

/** The number of parts that a run is divided into at most, as in the terminal. */
const MOST_PARTS = 65536;

/**
 * The states in this number of columns at most: the most frames in each, how many writes of the selected datum there
 * are, and the column of a state.
 */
function timeLine(/** @type {number} */ most) {
  const length = Math.ceil(run.count / MOST_PARTS);
  const parts = Math.ceil(run.count / length);
  const count = Math.min(parts, Math.max(1, most));
  const columnOf = (/** @type {number} */ state) => Math.floor((Math.floor(state / length) * count) / parts);
  const depths = /** @type {number[]} */ (new Array(count).fill(0));
  const writes = /** @type {number[]} */ (new Array(count).fill(0));
  const [{ depth, wrote }, { hits, sets }] = [run, writesTo(datum === null ? [] : places)];
  for (let start = 0; start < run.count; start += length) {
    const column = columnOf(start);
    const end = Math.min(start + length, run.count);
    for (let at = start; at < end; at += 1) {
      if (depth[at] > depths[column]) depths[column] = depth[at];
      writes[column] += hits[wrote[at]];
    }
  }
  for (const at of sets) writes[columnOf(at)] += 1;
  return { depths, writes, columnOf };
}

function counted(/** @type {number} */ count, /** @type {string} */ name) {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** The most columns of the drawing, and its height; the frames are above, the writes below. */
const MOST_COLUMNS = 400;
const TIME_HEIGHT = 40;
const FRAMES_HEIGHT = 26;

/** The run and the datum that are drawn. */
let drawn = "";
/** @type {ReturnType<typeof timeLine> | null} */ let time = null;

function drawing() {
  return /** @type {Element} */ (view.timeDrawing.firstElementChild);
}

function shape(/** @type {string} */ name, /** @type {Record<string, string | number>} */ attributes) {
  const made = document.createElementNS(drawing().namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** A run of fewer states has wide columns, and marks that are narrower. */
const WIDE_BELOW = 120;

/** A mark in the middle of a column, this part of it wide. */
function mark(/** @type {number} */ at, /** @type {number} */ width, /** @type {number} */ y, /** @type {string} */ kind) {
  return shape("rect", { x: at + (1 - width) / 2, y, width, height: TIME_HEIGHT - y, class: kind });
}

function paintTime() {
  if (isAside) return;
  view.time.max = String(lastIndex());
  view.time.value = String(now);
  const next = instructionOf(now)?.[2];
  view.time.setAttribute("aria-valuetext", `step ${run.first + now} of ${run.all}, ${counted(run.depth[now], "frame")}${next === undefined ? "" : ", next " + next}`);
  const what = `${active} ${datum} ${places}`;
  if (time === null || drawn !== what) {
    time = timeLine(MOST_COLUMNS);
    drawn = what;
    drawTime(time);
  }
  view.timeDrawing.querySelector(".here")?.remove();
  const { depths, columnOf } = time;
  drawing().append(mark(columnOf(now), Math.min(1, depths.length / WIDE_BELOW) / 2, 0, "here"));
}

function drawTime(/** @type {ReturnType<typeof timeLine>} */ { depths, writes, columnOf }) {
  const most = depths.reduce((most, depth) => Math.max(most, depth), 0);
  const svg = drawing();
  svg.setAttribute("viewBox", `0 0 ${depths.length} ${TIME_HEIGHT}`);
  svg.replaceChildren();
  const width = Math.min(1, depths.length / WIDE_BELOW);
  for (const [at, depth] of depths.entries()) {
    const height = most === 0 ? 0 : (depth / most) * FRAMES_HEIGHT;
    if (height > 0) svg.append(shape("rect", { x: at, y: FRAMES_HEIGHT - height, width: 1, height, class: "frames" }));
  }
  for (const [at, count] of writes.entries()) {
    if (count > 0) svg.append(mark(at, width, FRAMES_HEIGHT + 3, "written"));
  }
  const ends = [...new Set(run.failures.map(({ step }) => step))];
  for (const step of ends.filter((step) => step >= run.first && step < run.first + run.count)) {
    svg.append(mark(columnOf(step - run.first), width, 0, "fails"));
  }
  const count = writes.reduce((sum, count) => sum + count, 0);
  const told = [`frames over steps ${run.first} to ${run.first + lastIndex()}: at most ${counted(most, "frame")}`];
  const known = datum !== null && isCellless() && isLacking(0, lastIndex()) ? ` in ${IN_PAGE}` : "";
  if (datum !== null) told.push(`below, ${counted(count, "write")} of ${run.data[datum]}${known}`);
  if (ends.length > 0) told.push(`over the whole height, where an assertion fails: step ${ends.slice(0, 10).join(", ")}${ends.length > 10 ? " and more" : ""}`);
  view.timeText.textContent = told.join("; ");
  svg.setAttribute("aria-label", view.timeText.textContent);
}

/** Shows the selected row whole. */
function paintDetails() {
  if (view.details.hidden || isAside) return;
  const row = sections.flatMap(rowsOf).find((row) => datum !== null && row.datum === datum);
  view.detailsTitle.textContent = datum === null ? "no row is selected" : run.data[datum];
  const demanded = demandedOf(datum);
  view.detailsText.textContent = row === undefined ? "" : `${row.label}: ${row.whole}${demanded === undefined ? "" : "\ndemanded: " + demanded}`;
}

/** What can be copied. */
const copies = {
  value: () => sections.flatMap(rowsOf).find((row) => datum !== null && row.datum === datum)?.whole ?? "",
  name: () => (datum === null ? "" : run.data[datum]),
  id: () => run.id,
  link: () => location.href.split("#")[0] + link(),
  command: () => commandHere(),
};

/** A word of a command line, in quotes if a shell needs them. */
function quoted(/** @type {string} */ word) {
  return /^[\w/.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that opens the run here in a terminal, with the selected datum. */
function commandHere() {
  const selected = datum === null ? "" : ` --datum ${quoted(run.data[datum])}`;
  return `${run.command} --at ${run.first + now}${selected}`;
}

async function copy(/** @type {keyof typeof copies} */ what) {
  const text = copies[what]();
  try {
    await navigator.clipboard.writeText(text);
    say(`copied: ${text}`);
  } catch {
    say(`this browser does not let the page copy: ${text}`);
  }
}

/** Scrolls a list, and not the page, to the first item of these. */
function scrollInside(/** @type {HTMLElement} */ list, /** @type {string} */ selector) {
  const item = list.querySelector(selector);
  if (!(item instanceof HTMLElement)) return;
  const place = item.offsetTop - list.offsetTop;
  if (place < list.scrollTop || place > list.scrollTop + list.clientHeight - 40) {
    list.scrollTop = place - list.clientHeight / 2;
  }
}

/** The first state after this one for which this holds. */
function find(/** @type {(index: number) => boolean} */ holds) {
  for (let at = now + 1; at < run.count; at += 1) if (holds(at)) return at;
  return null;
}

/** The last state before this one for which this holds. */
function findLast(/** @type {(index: number) => boolean} */ holds) {
  for (let at = now - 1; at >= 0; at -= 1) if (holds(at)) return at;
  return null;
}

/** Whether the instruction before a state wrote one of these places. */
function isWritten(/** @type {number} */ index, /** @type {number[]} */ sought) {
  return isAmong(run.writes[run.wrote[index]], sought);
}

/** Whether the vector set one of these places before a state. */
function isSet(/** @type {number} */ index, /** @type {number[]} */ sought) {
  return run.sets.some(([at, write]) => at === index && isAmong(run.writes[write], sought));
}

/** Whether one of these places is in the ranges of a write. */
function isAmong(/** @type {number[]} */ ranges, /** @type {number[]} */ sought) {
  return sought.some((place) => {
    const number = run.places[place];
    for (let at = 0; at < ranges.length; at += 2) if (ranges[at] <= number && number <= ranges[at + 1]) return true;
    return false;
  });
}

/** For each write, 1 if one of these places is in it; and the states before which the vector set one of them. */
function writesTo(/** @type {number[]} */ sought) {
  const hits = Uint8Array.from(run.writes, (ranges) => Number(isAmong(ranges, sought)));
  const sets = run.sets.filter(([, write]) => hits[write] === 1).map(([at]) => at);
  return { hits, sets };
}

/** The last state, up to this one, before which an instruction wrote the selected datum, or the vector set it. */
function lastWrite() {
  const { hits, sets } = writesTo(places);
  let at = now;
  while (at >= 0 && hits[run.wrote[at]] === 0) at -= 1;
  const found = sets.reduce((found, set) => (set <= now ? Math.max(found, set) : found), at);
  return found < 0 ? null : found;
}

/** The first state after this one for which that holds. */
function nextWrite() {
  const { hits, sets } = writesTo(places);
  let at = now + 1;
  while (at < run.count && hits[run.wrote[at]] === 0) at += 1;
  const found = sets.reduce((found, set) => (set > now ? Math.min(found, set) : found), at);
  return found >= run.count ? null : found;
}

/** Whether only states show the writes of the selected datum, since no cell holds it. */
function isCellless() {
  return places.some((place) => run.places[place] >= run.cellless);
}

const IN_PAGE = "the states that this page has";

/**
 * What an answer about writes of the selected datum, or about values, does not consider, if it is about these states.
 */
function unless(/** @type {number} */ from, /** @type {number} */ to) {
  return isLacking(from, to) ? `; only ${IN_PAGE} are considered` : "";
}

/** The same for writes: their places are known in all states, unless no cell holds the datum, or an object does. */
function unlessWrites(/** @type {number} */ from, /** @type {number} */ to) {
  if (isCellless()) return unless(from, to);
  const isInside = places.some((place) => run.places[place] >= run.compounds);
  return isInside && numberOfState(now) < 0 ? "; which object it holds in this step is not in the page" : "";
}

/** Says that the vector set the selected datum in the current state. */
function saySet() {
  say(`${datum === null ? "" : run.data[datum]}: the vector sets it here, after step ${run.first + now}`);
}

/** Goes to a state, or says that there is none, and where the page was cut. */
function goOr(/** @type {number | null} */ index, /** @type {string} */ message, /** @type {boolean} */ isBefore) {
  if (index !== null) return go(index);
  const end = run.first + lastIndex();
  if (isBefore && run.first > 0) say(`${message} from step ${run.first} on, where this page begins`);
  else if (!isBefore && end < run.all) say(`${message} up to step ${end}, where this page ends`);
  else say(message);
}

/** Adds to what was said. */
function sayAlso(/** @type {string} */ text) {
  if (text !== "") say(view.status.textContent + text);
}

/** Whether the next instruction of a state is executed: the case may stop before it. */
function isExecuted(/** @type {number} */ index) {
  return endedAt(index) === null && run.first + index < run.all;
}

/** For each position, whether its instruction is that of a line of the code with this index. */
function positionsOf(/** @type {number} */ its, /** @type {CodeLine} */ [at, label, text]) {
  // Of a run that another machine made, each execution is a line of its own.
  if (!run.codes[its].isPlayed) return run.positions.map(([code, pc]) => code === its && pc === at);
  return run.positions.map((position) => {
    const line = instructionAt(position);
    return line !== undefined && line[1] === label && line[2] === text;
  });
}

/** The states in which the selected instruction is executed. */
function isSelectedNext() {
  const isIt = positionsOf(positionAt(now)[0], codeLines[selectedCode]);
  return (/** @type {number} */ index) => isIt[run.position[index]] && isExecuted(index);
}

/** Goes to the first state after this one with fewer frames than this, or to the end. */
function goToDepth(/** @type {number} */ limit) {
  const found = find((index) => run.depth[index] < limit);
  go(found ?? lastIndex());
  const end = run.first + now;
  if (found === null && end < run.all) say(`the frame does not end up to step ${end}, where this page ends`);
}

/**
 * What is sought: `sstore`, the text of an instruction; `=7`, a value; or `"r1: 7`, the text of a row.
 * @returns {{ instruction: string } | { isIt: (label: string, value: string) => boolean }}
 */
function soughtIn(/** @type {string} */ typed) {
  const text = typed.trim();
  if (text.startsWith("=")) {
    const value = text.slice(1).trim();
    return { isIt: (_, its) => isValue(its, value) };
  }
  if (text.startsWith('"')) {
    const row = text.slice(1).replace(/"$/, "").toLowerCase();
    return { isIt: (label, value) => `${label}: ${value}`.toLowerCase().includes(row) };
  }
  return { instruction: text.toLowerCase() };
}

/** The datum of the first row that is sought, and that the state before did not have with this value. */
function appeared(
  /** @type {Section[]} */ before,
  /** @type {Section[]} */ after,
  /** @type {(label: string, value: string) => boolean} */ isIt,
) {
  const key = (/** @type {number} */ row) => `${lineAt(row)[4]} ${lineAt(row)[2]}`;
  /** @type {Set<string> | null} */ let known = null;
  for (const [index, section] of after.entries()) {
    const old = before[index]?.[1] ?? [];
    if (old === section[1]) continue;
    const fromTop = isFromTop(section, false);
    let above = 0;
    for (const [place, row] of section[1].entries()) {
      const [depth, name, value, , its] = lineAt(row);
      if (its === null) continue;
      const label = fromTop && depth === 0 ? `[${above++}]` : name;
      if (old[place] === row || !isIt(label, value)) continue;
      known ??= new Set(before.flatMap(([, rows]) => rows.map(key)));
      if (!known.has(key(row))) return its;
    }
  }
  return null;
}

/** The next or the previous state with what is sought, and the datum that has it there. */
function search(/** @type {string} */ text, /** @type {boolean} */ isBack) {
  const what = soughtIn(text);
  if ("instruction" in what) {
    const isIt = run.positions.map((position) => instructionAt(position)?.[2].toLowerCase().includes(what.instruction) ?? false);
    const holds = (/** @type {number} */ index) => isIt[run.position[index]] && isExecuted(index);
    const at = isBack ? findLast(holds) : find(holds);
    return at === null ? null : { at, datum: null };
  }
  const [from, to] = soughtStates(isBack);
  /** @type {{ at: number, datum: number } | null} */ let found = null;
  for (const [first, count] of run.spans) {
    const start = Math.max(from, first + (first > 0 ? 1 : 0));
    const end = Math.min(to, first + count - 1);
    const read = reader();
    let state = start <= end ? read(start - 1) : null;
    for (let at = start; at <= end; at += 1) {
      const next = read(at);
      const its = state === null || next === null ? null : appeared(state, next, what.isIt);
      if (its !== null) found = { at, datum: its };
      if (found !== null && !isBack) return found;
      state = next;
    }
  }
  return found;
}

/** The first and the last state of a search. */
function soughtStates(/** @type {boolean} */ isBack) {
  return isBack ? [1, now - 1] : [now + 1, lastIndex()];
}

/** Goes to what was searched last. */
function goToMatch(/** @type {boolean} */ isBack) {
  if (sought === "") return say("type what is sought first");
  const found = search(sought, isBack);
  if (found !== null && found.datum !== null) datum = found.datum;
  const isState = sought.startsWith("=") || sought.startsWith('"');
  const what = sought.startsWith("=") ? "no datum gets this value" : isState ? "no row gets this text" : "no such instruction is executed";
  const [from, to] = soughtStates(isBack);
  const also = !isState ? "" : found === null ? unless(from, to) : isBack ? unless(found.at, to) : unless(from, found.at);
  goOr(found?.at ?? null, `${what} ${isBack ? "before this; N searches forward" : "after this; P searches back"}`, isBack);
  sayAlso(also);
}

/** Selects the next row that the last step changed; after the last one, the first. */
function selectChanged() {
  const options = [...view.state.querySelectorAll("[role=option]")];
  const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
  const next = [...options.slice(at + 1), ...options.slice(0, at + 1)].find((option) => option.classList.contains("changed"));
  if (next instanceof HTMLElement) choose(next);
  else say("the last step changed no row");
}

const moves = {
  nextMatch: () => goToMatch(false),
  lastMatch: () => goToMatch(true),
  nextMarked: selectChanged,
  details() {
    view.details.hidden = !view.details.hidden;
    paintDetails();
  },
  counting() {
    isCountedOtherwise = !isCountedOtherwise;
    inOther(paint);
    paint();
  },
  first: () => go(0),
  last: () => go(lastIndex()),
  nearest: () => go(nearestTo(now)),
  back: () => go(now - 1),
  forward: () => go(now + 1),
  over: () => goToDepth(run.depth[now] + 1),
  out: () => goToDepth(run.depth[now]),
  lastWrite() {
    const found = datum === null ? null : lastWrite();
    const failure = found === null ? askedFailure() : null;
    if (failure !== null && failure.cause !== null && failure.cause > run.first) {
      go(failure.cause - 1 - run.first);
      return say(`${failure.at}: this instruction decided it`);
    }
    if (failure !== null && datum === null) return goOr(null, `${failure.at}: no instruction wrote it`, true);
    if (datum === null) return say("select a row of the state first");
    const also = unlessWrites(found ?? 0, now);
    if (found !== null && isSet(found, places)) {
      go(found);
      saySet();
    } else goOr(found === null ? null : found - 1, `${run.data[datum]}: no write before`, true);
    sayAlso(also);
  },
  nextWrite() {
    if (datum === null) return say("select a row of the state first");
    const found = nextWrite();
    const also = unlessWrites(now, found ?? lastIndex());
    const isOfVector = found !== null && !isWritten(found, places);
    goOr(found, `${run.data[datum]}: no write after`, false);
    if (isOfVector) saySet();
    sayAlso(also);
  },
  nextExecution() {
    if (codeLines[selectedCode] === undefined) return;
    goOr(find(isSelectedNext()), "it is not executed after this", false);
  },
  lastExecution() {
    if (codeLines[selectedCode] === undefined) return;
    goOr(findLast(isSelectedNext()), "it is not executed before this", true);
  },
  failure() {
    const failure = run.failures[shownFailure];
    if (failure === undefined) return;
    datum = failure.datum;
    if (datum === null) places = [];
    go(failure.step - run.first);
    if (run.first + now !== failure.step) say(`it fails at step ${failure.step}, which this page does not have`);
  },
  difference() {
    if (pair === null || pair.difference === null) return say("no difference was found");
    const step = pair.difference;
    const select = () => {
      const differing = differencesAt(step).data;
      goAlone(step - run.first);
      const row = sections.flatMap(rowsOf).find((row) => isIn(differing, row));
      if (row !== undefined) ({ datum, places } = row);
    };
    inOther(select);
    select();
    go(step - run.first);
    say(step === 0 ? "the first difference: the initial states" : `the first difference: after step ${step}`);
  },
  nextFailure: () => showFailure(shownFailure + 1),
  lastFailure: () => showFailure(shownFailure - 1),
  writes() {
    if (datum === null) return say("select a row of the state first");
    listWrites(run.data[datum]);
  },
};

function showFailure(/** @type {number} */ index) {
  if (run.failures[index] === undefined) return say("no other assertion fails there");
  shownFailure = index;
  moves.failure();
}

/** The shown assertion, if its datum is selected where it fails. */
function askedFailure() {
  const failure = run.failures[shownFailure];
  const isAsked = failure !== undefined && failure.datum === datum && failure.step === run.first + now;
  return isAsked ? failure : null;
}

/**
 * A write: the index of the state after it, the instruction or `the vector`, and the values in the states before and
 * after it, `undefined` if the page does not have them; `goes` is the index of the state to look at.
 * @typedef {{ at: number, by: string, goes: number, old: string | null | undefined, new: string | null | undefined }} Write
 */

/** Calls `each` with the writes of the selected datum after a state, in order, until it returns true. */
function eachWrite(/** @type {number} */ from, /** @type {(write: Write) => boolean} */ each) {
  const { hits, sets } = writesTo(places);
  const isSetAt = new Set(sets);
  const read = reader();
  for (let at = from + 1; at < run.count; at += 1) {
    const written = hits[run.wrote[at]] === 1;
    if (!written && !isSetAt.has(at)) continue;
    // Between the two is a state that is not in the page.
    const between = "replaced by the vector";
    const [old, next] = [valueIn(read(at - 1)), valueIn(read(at))];
    const by = instructionOf(at - 1)?.[2] ?? "";
    if (written && each({ at, by, goes: at - 1, old, new: isSetAt.has(at) ? between : next })) return;
    const isLast = isSetAt.has(at) && each({ at, by: "the vector", goes: at, old: written ? between : old, new: next });
    if (isLast) return;
  }
}

/** The value of the selected datum; `null` if a state does not have it, `undefined` if the page does not have the state. */
function valueIn(/** @type {Section[] | null} */ state) {
  if (state === null) return undefined;
  for (const [, rows] of state) {
    for (const row of rows) if (lineAt(row)[4] === datum) return lineAt(row)[2];
  }
  return null;
}

function isKnown(/** @type {Write} */ write) {
  return write.old !== undefined && write.new !== undefined;
}

function writeLine(/** @type {Write} */ write) {
  const [old, next] = [write.old, write.new].map((value) => (value === undefined ? "?" : value ?? "nothing"));
  return `${run.first + write.at}  ${write.by}: ${old} -> ${next}`;
}

/** Shows this number of writes, the last ones. */
const MOST_WRITES = 10000;

function listWrites(/** @type {string} */ name) {
  let [count, unknown] = [0, 0];
  /** @type {Write[]} */ let writes = [];
  eachWrite(0, (write) => {
    count += 1;
    if (!isKnown(write)) unknown += 1;
    writes.push(write);
    if (writes.length === 2 * MOST_WRITES) writes = writes.slice(MOST_WRITES);
    return false;
  });
  writes = writes.slice(-MOST_WRITES);
  view.writesPart.hidden = count === 0;
  if (count === 0) return say(`${name}: no write${unlessWrites(0, lastIndex())}`);
  const omitted = count > MOST_WRITES ? `, the last ${MOST_WRITES}` : "";
  const without = unknown > 0 ? `; the page does not have the values of ${unknown}` : "";
  view.writesTitle.textContent = `${counted(count, "write")} of ${name}${omitted}${without}${isCellless() ? unless(0, lastIndex()) : ""}`;
  const items = writes.map((write) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = writeLine(write);
    button.dataset.at = String(write.goes);
    item.append(button);
    return item;
  });
  view.writes.replaceChildren(...items);
  const before = writes.filter((write) => write.at <= now);
  const button = items[Math.max(0, before.length - 1)].firstElementChild;
  if (button instanceof HTMLElement) button.focus();
}

/** Whether the text of a value is the one that is sought, as a number or else letter by letter. */
function isValue(/** @type {string | null | undefined} */ text, /** @type {string} */ value) {
  const [its, number] = [numberOf(text), numberOf(value)];
  return its !== null && number !== null ? its === number : text === value;
}

/** The number at the start of a value, or after its type; what follows a space or a comma explains it. */
function numberOf(/** @type {string | null | undefined} */ text) {
  const [, sign, digits] = /^(?:Integer )?(-?)(\d+|0x[\da-f]+)(?:[ ,]|$)/i.exec(text ?? "") ?? [];
  if (digits === undefined) return null;
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

/**
 * Whether a condition holds for a write: `1`, that it changes the value by another number, or `=7`, that it is of this value.
 * `null` if it is no condition.
 */
function conditionOf(/** @type {string} */ text) {
  if (text.startsWith("=")) {
    const value = text.slice(1).trim();
    return (/** @type {Write} */ write) => isValue(write.new, value);
  }
  const usual = numberOf(text);
  if (usual === null) return null;
  return (/** @type {Write} */ write) => {
    const [old, next] = [numberOf(write.old), numberOf(write.new)];
    if (write.old === null) return false;
    return old === null || next === null ? write.old !== write.new : next !== old && next - old !== usual;
  };
}

/** Goes to the next write of the selected datum for which the typed condition holds. */
function goToChange() {
  const holds = conditionOf(view.condition.value.trim());
  if (datum === null) return say("select a row of the state first");
  if (holds === null) return say("that is no number, and no = with a value after it");
  let unknown = 0;
  /** @type {Write[]} */ const matches = [];
  eachWrite(now, (write) => {
    if (!isKnown(write)) unknown += 1;
    else if (holds(write)) matches.push(write);
    return matches.length > 0;
  });
  const found = matches.at(0);
  const also = unknown > 0 ? `; the page does not have the values of ${counted(unknown, "write")} before that`
    : isCellless() ? unless(now, found?.at ?? lastIndex()) : "";
  goOr(found?.at ?? null, `${run.data[datum]}: no such write after`, false);
  if (found !== undefined) say(`step ${writeLine(found)}`);
  sayAlso(also);
}

/** @type {Partial<Record<string, keyof typeof moves>>} */
const keys = {
  s: "forward", ArrowRight: "forward", b: "back", d: "difference", e: "nearest", ArrowLeft: "back", o: "over", u: "out", p: "lastWrite",
  n: "nextWrite", N: "nextMatch", P: "lastMatch", m: "nextMarked", y: "details", Enter: "details", i: "counting", x: "nextExecution", X: "lastExecution", f: "failure", a: "nextFailure", A: "lastFailure", w: "writes", 0: "first", Home: "first", G: "last", End: "last",
};

/** Moves the selection of a list by this number of rows. */
function select(/** @type {Element} */ list, /** @type {number} */ by) {
  /** @type {NodeListOf<HTMLElement>} */ const options = list.querySelectorAll("[role=option]");
  const at = Array.from(options).findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (options.length > 0) choose(options[Math.max(0, Math.min(at + by, options.length - 1))]);
}

function choose(/** @type {HTMLElement} */ option) {
  if (option.dataset.code !== undefined) selectedCode = Number(option.dataset.code);
  if (option.dataset.datum !== undefined) {
    datum = Number(option.dataset.datum);
    places = sections.flatMap(rowsOf).find((row) => row.datum === datum)?.places ?? [];
    keepLink();
  }
  paint();
}

/** The places of a datum in any state. */
function placesOf(/** @type {number} */ its) {
  const line = run.lines.findIndex((text, index) => text.includes(String(its)) && text[1] !== '"' && lineAt(index)[4] === its);
  return line < 0 ? [] : lineAt(line)[5];
}

/**
 * Shows the failing assertion with the number in the address, or the first, and goes to the step of the address and selects
 * its datum, or else to where the assertion fails.
 */
function follow() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const [step, side, name, failure] = ["step", "run", "datum", "failure"].map((key) => parameters.get(key));
  if (side === "0" || side === "1") take(Number(side));
  const its = name === null ? -1 : run.data.indexOf(name);
  if (its >= 0) [datum, places] = [its, placesOf(its)];
  const isOfFailure = run.failures[Number(failure) - 1] !== undefined;
  if (isOfFailure) shownFailure = Number(failure) - 1;
  if (step !== null && /^\d+$/.test(step)) go(Number(step) - run.first);
  else if (isOfFailure) moves.failure();
  else if (pair !== null && pair.difference !== null) moves.difference();
  else if (run.failures.length > 0) moves.failure();
  else go(0);
}

/** Whether a field uses a key itself. The time line and the list of failing assertions, whose lines begin with numbers, use no letters. */
function isOfField(/** @type {EventTarget | null} */ target, /** @type {string} */ key) {
  if (target === view.time || target === view.failures) return !/^[a-z]$/i.test(key);
  return target instanceof HTMLInputElement;
}

/** Leaves a field, or else closes the whole row and the list of writes. */
function leave(/** @type {EventTarget | null} */ target) {
  if (!(target instanceof HTMLInputElement) && target !== view.failures) {
    if (view.details.hidden && view.writesPart.hidden) return;
    view.details.hidden = true;
    view.writesPart.hidden = true;
  }
  focusPanes();
}

function focusPanes() {
  (view.state.hidden ? view.code : view.state).focus();
}

addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.key === "Escape" || (event.key === "Enter" && target === view.failures)) return leave(target);
  if (target instanceof HTMLButtonElement && event.key === "Enter") return;
  if (isOfField(target, event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
  const list = (target instanceof Element && target.closest("[role=listbox]")) || view.state;
  const move = keys[event.key];
  if (move !== undefined) moves[move]();
  else if (event.key === "ArrowUp") select(list, -1);
  else if (event.key === "ArrowDown") select(list, 1);
  else if (event.key === "g") view.step.focus();
  else if (event.key === "/" || event.key === "\\") focusSearch(event.key === "\\");
  else if (event.key === "r") view.filter.focus();
  else if (event.key === "t" && target === view.time) focusPanes();
  else if (event.key === "t") view.time.focus();
  else if (event.key === "c") view.condition.focus();
  else if (event.key === "l" && !view.failuresPart.hidden) view.failures.focus();
  else return;
  event.preventDefault();
});
function focusSearch(/** @type {boolean} */ isBack) {
  isSoughtBack = isBack;
  view.search.focus();
  view.search.select();
}

view.search.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  sought = view.search.value.trim();
  goToMatch(event.shiftKey || isSoughtBack);
  isSoughtBack = false;
  focusPanes();
});
view.time.addEventListener("input", () => go(Number(view.time.value)));
view.details.addEventListener("click", ({ target }) => copyBy(target));
/** Copies what a button says. */
function copyBy(/** @type {EventTarget | null} */ target) {
  if (target instanceof HTMLButtonElement) copy(/** @type {keyof typeof copies} */ (target.dataset.copy));
}
view.moves.addEventListener("click", ({ target }) => {
  const button = target instanceof Element && target.closest("button");
  if (button) moves[/** @type {keyof typeof moves} */ (button.dataset.move)]();
});
/** Makes the panes react. Of two runs, the one whose pane is clicked or has the focus has the keys. */
function listen() {
  const all = pair === null ? [parts()] : sides.map((side) => side.parts);
  for (const [index, { absent, code, state }] of all.entries()) {
    absent.addEventListener("click", ({ target }) => {
      take(index);
      if (target instanceof HTMLButtonElement && target.dataset.copy === undefined) moves.nearest();
      else copyBy(target);
    });
    for (const list of [code, state]) {
      list.addEventListener("focusin", () => take(index));
      list.addEventListener("click", ({ target }) => {
        take(index);
        const option = target instanceof Element && target.closest("[role=option]");
        if (option instanceof HTMLElement) choose(option);
      });
    }
  }
}

/** Gives the keys to the run with this index. */
function take(/** @type {number} */ index) {
  if (pair === null || index === active) return;
  enter(index);
  paintRun();
  // The panes stay: what is about to be clicked is in them.
  paintMoves();
}
view.step.addEventListener("change", () => go(Number(view.step.value) - run.first));
view.filter.addEventListener("input", paintState);
view.failures.addEventListener("change", () => showFailure(Number(view.failures.value)));
view.condition.addEventListener("change", goToChange);
view.writes.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLButtonElement) go(Number(target.dataset.at));
});
view.moves.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
open();

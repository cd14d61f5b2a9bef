// The module of all pages. The server makes all HTML; the module asks for it, exchanges what differs and moves classes.

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('console', {
  createHTML: (/** @type {string} */ html) => html,
});
const main = /** @type {HTMLElement} */ (document.querySelector('main'));
const status = document.getElementById('live');

// MARK: Exchanging what differs

/** Returns what tells an element from its siblings.
 * @param {Node | null} node */
const key = (node) =>
  node instanceof HTMLTableRowElement
    ? node.querySelector('a')?.getAttribute('href')
    : node instanceof HTMLElement && (node.id || node.dataset.part);

/** Makes an element like another one. Equal parts stay, with focus, scrolling and typed text.
 * @param {Element} old
 * @param {Element} fresh */
function exchange(old, fresh) {
  // The text of a time is the browser's.
  if (old instanceof HTMLTimeElement && old.dateTime === fresh.getAttribute('datetime')) return;
  const drawing = old.getAttribute('data-drawing');
  const hasMoved = old.getAttribute('data-active') !== fresh.getAttribute('data-active');
  const isDrawn = drawing === fresh.getAttribute('data-drawing') && !fresh.firstChild;
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  }
  if (drawing === null) exchangeContent(old, fresh);
  else if (isDrawn) light(old);
  else old.replaceChildren(...fresh.childNodes);
  if (hasMoved) center(old);
}

/** Scrolls a drawing to what is active in it.
 * @param {Element} drawing */
function center(drawing) {
  const [state, frame] = [[...drawing.querySelectorAll('.state.active')].pop() ?? drawing, drawing].map((element) =>
    element.getBoundingClientRect());
  drawing.scrollBy(
    state.x - frame.x + (state.width - frame.width) / 2, state.y - frame.y + (state.height - frame.height) / 2);
}

/** @param {Element} old @param {Element} fresh */
function exchangeContent(old, fresh) {
  const known = new Map([...old.children].map((child) => [key(child), child]));
  let at = old.firstChild;
  const drop = () => {
    const gone = at;
    at = at?.nextSibling ?? null;
    gone?.remove();
  };
  for (const node of [...fresh.childNodes]) {
    const same = key(node) && known.get(key(node));
    while (at && same && same.parentNode && at !== same) drop();
    if (at?.nodeName === node.nodeName && key(at) === key(node)) {
      if (at instanceof Element) exchange(at, /** @type {Element} */ (node));
      else if (at.nodeValue !== node.nodeValue) at.nodeValue = node.nodeValue;
      at = at.nextSibling;
    } else old.insertBefore(node, at);
  }
  while (at) drop();
}

/** Lights the states and transitions that a drawing names.
 * @param {Element} drawing */
function light(drawing) {
  /** @param {Element} element @param {string} name */
  const words = (element, name) => (element.getAttribute(`data-${name}`) ?? '').split(' ').filter(Boolean);
  for (const [part, lit] of [['state', 'active'], ['transitions', 'taken']]) {
    const all = new Set(words(drawing, lit));
    for (const element of drawing.querySelectorAll(`[data-${part}]`)) {
      element.classList.toggle(lit, words(element, part).some((word) => all.has(word)));
    }
  }
}

/** Makes one stop for Tab of the states of a drawing, the innermost active one first. */
function rove() {
  for (const drawing of main.querySelectorAll('.drawing')) {
    const stops = [...drawing.querySelectorAll('[data-state][tabindex="0"]')];
    const stop = stops.filter((state) => state.matches('.active')).pop() ?? stops[0];
    for (const state of stops) if (state !== stop) state.setAttribute('tabindex', '-1');
  }
}

main.addEventListener('keydown', (event) => {
  const way = ['ArrowLeft', 'ArrowUp', '', 'ArrowRight', 'ArrowDown'].indexOf(event.key);
  const state = /** @type {Element} */ (event.target);
  const states = [...(state.closest('.drawing')?.querySelectorAll('[data-state]') ?? [])];
  const at = states.indexOf(state);
  if (way < 0 || at < 0 || isModified(event)) return;
  event.preventDefault();
  const other = /** @type {SVGElement | undefined} */ (states[at + (way < 2 ? -1 : 1)]);
  if (!other) return;
  state.setAttribute('tabindex', '-1');
  other.setAttribute('tabindex', '0');
  other.focus();
});

// MARK: Times

/** Returns the two largest units, as the server does: `2d 7h`.
 * @param {number} milliseconds */
function span(milliseconds) {
  const rest = Math.floor(milliseconds / 1000);
  const counts = [rest / 86400, (rest / 3600) % 24, (rest / 60) % 60, rest % 60].map(Math.floor);
  const first = counts.findIndex((count) => count > 0);
  const shown = [first, first + 1].filter((unit) => counts[unit] > 0);
  return shown.map((unit) => counts[unit] + 'dhms'[unit]).join(' ') || '0s';
}

/** Shows times in the browser's zone, and notes when timers are due. */
function showTimes() {
  for (const time of main.querySelectorAll('time')) {
    if (time.title) continue;
    time.title = time.textContent ?? '';
    time.textContent = new Date(time.dateTime).toLocaleString('sv');
  }
  for (const timer of timers()) timer.dataset.at = String(Date.now() + Number(timer.dataset.due));
}

const timers = () => /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll('[data-due]'));
let seconds = 0;

setInterval(() => {
  if (document.hidden) return;
  for (const timer of timers()) {
    const rest = Number(timer.dataset.at) - Date.now();
    const text = rest < 0 ? `${span(-rest)} late` : `in ${span(rest)}`;
    if (timer.textContent !== text) timer.textContent = text;
  }
  // An attempt that failed is no row.
  seconds += 1;
  if (seconds % 20 === 0 && timers().length > 0) changed();
}, 1000);

// MARK: Asking for parts

/** Returns the element of the slider; `null` on pages without it. */
const slider = () => /** @type {HTMLElement | null} */ (main.querySelector('[data-wind]'));
/** The seq after which the instance is shown; 0 for now. */
let wound = Number(slider()?.dataset.seq ?? 0);
/** The newest request for parts; it ends the one before. */
let asked = new AbortController();
let hasEnded = false;
/** The time since which the page is old. */
let since = '';

const address = () => location.pathname + (wound ? `?seq=${wound}` : location.search);

/** Says something about the page. The same text again would be read aloud again.
 * @param {string} state
 * @param {string} [text] */
function say(state, text = '') {
  if (!status) return;
  status.className = state;
  if (status.textContent !== text) status.textContent = text;
}

function end() {
  hasEnded = true;
  close();
  since ||= new Date().toLocaleTimeString('sv');
  say('ended', `Not live since ${since}: the session has ended. `);
  const login = document.createElement('a');
  login.href = address();
  login.textContent = 'Log in';
  status?.append(login);
}

/** Shows the page as it is now, or as it was after `wound`. Returns true if it is shown. */
async function show() {
  asked.abort();
  const { signal } = (asked = new AbortController());
  try {
    const drawn = main.querySelector('[data-drawing]')?.getAttribute('data-drawing') ?? '-';
    const answer = await fetch(address(), { signal, headers: { 'Wfd-Parts': drawn }, redirect: 'error' });
    if (answer.status === 401) return end();
    if (answer.status >= 500) throw new Error(`wfd answers with ${answer.status}`);
    const html = await answer.text();
    const page = new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html');
    const fresh = page.querySelector('main');
    if (signal.aborted || !fresh) return;
    exchange(main, fresh);
    rove();
    showTimes();
    setSlider();
    document.title = `${main.querySelector('h1')?.textContent} · wfd`;
    if (wound) history.replaceState(null, '', `${location.pathname}#seq=${wound}`);
    return true;
  } catch (error) {
    if (!signal.aborted) breaks(error);
  }
}

// MARK: The stream

/** @type {AbortController | null} */
let stream = null;
/** The wait before the next attempt, and its timer. */
let [wait, attempt] = [1000, 0];

function close() {
  clearTimeout(attempt);
  asked.abort();
  stream?.abort();
  stream = null;
}

/** Says that the page is old, and tries again after a while, longer each time. Pages do not come together.
 * @param {unknown} error */
function breaks(error) {
  close();
  since ||= new Date().toLocaleTimeString('sv');
  // The browser's own errors differ from attempt to attempt, and each would be read aloud.
  const why = error instanceof Error && !(error instanceof TypeError) ? error.message : 'wfd does not answer';
  say('old', `Not live since ${since}: ${why}.`);
  attempt = setTimeout(resume, wait * (1 + Math.random() / 4));
  wait = Math.min(wait * 2, 30000);
}

/** Shows the page, and listens from the place in the journal that its content names. */
async function resume() {
  if (hasEnded || document.hidden) return;
  close();
  if (await show()) listen();
}

/** Listens to the page's stream until it breaks. */
async function listen() {
  const place = main.dataset.stream;
  if (stream || document.hidden) return;
  if (!place?.startsWith('/console/stream?')) {
    since = '';
    return say('still');
  }
  const own = (stream = new AbortController());
  const begun = Date.now();
  let failure;
  try {
    const answer = await fetch(place, { signal: own.signal, redirect: 'error' });
    if (answer.status === 401) return end();
    if (!answer.ok || !answer.body) throw new Error((await answer.json()).detail);
    since = '';
    say('live');
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split('\n');
      rest = lines.pop() ?? '';
      if (lines.includes('event: transition') || lines.includes(': change')) changed();
      const problem = lines.indexOf('event: problem');
      if (problem >= 0) throw new Error(JSON.parse(lines[problem + 1].slice(5)).detail);
    }
  } catch (error) {
    failure = error;
  }
  if (stream !== own) return;
  if (Date.now() - begun > 10000) wait = 1000;
  breaks(failure);
}

let [isRenewing, hasChanged] = [false, false];
/** The time before which no renewal begins. */
let next = 0;

/** Renews the page: at once, then once a second at most, and for a tenth of the time at most. */
async function changed() {
  hasChanged = true;
  if (isRenewing) return;
  isRenewing = true;
  while (hasChanged && stream) {
    await new Promise((resolve) => setTimeout(resolve, next - Date.now()));
    if (!stream) break;
    hasChanged = false;
    const begun = Date.now();
    await show();
    next = Math.max(begun + 1000, Date.now() + 9 * (Date.now() - begun));
  }
  isRenewing = false;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) close();
  else if (main.dataset.stream) resume();
});

// MARK: Winding back

function setSlider() {
  const range = slider()?.querySelector('input');
  const label = slider()?.querySelector('label');
  if (!range || !label) return;
  range.value = wound ? String(wound) : range.max;
  label.textContent = `Seq ${range.value} of ${range.max}`;
}

/** Shows the instance as it was after a seq; 0 for now.
 * @param {number} seq */
function wind(seq) {
  wound = Math.min(seq, Number(slider()?.dataset.newest));
  if (!wound) history.replaceState(null, '', location.pathname);
  setSlider();
  resume();
}

document.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && target.id === 'wind') wind(Number(target.value));
});

/** @param {MouseEvent | KeyboardEvent} event */
const isModified = (event) => event.ctrlKey || event.metaKey || event.altKey;

main.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target);
  const row = getSelection()?.isCollapsed ? target.closest('[data-part="history"] tbody tr') : null;
  const link = target.closest('a') ?? row?.querySelector('a');
  if (!link || !slider() || hasEnded || event.button || event.shiftKey || isModified(event)) return;
  const seq = /^(?:\?seq=(\d+))?$/.exec(link.search);
  if (link.pathname !== location.pathname || link.hash || !seq) return;
  event.preventDefault();
  history.pushState(null, '', location.pathname + (seq[1] ? `#seq=${seq[1]}` : ''));
  wind(Number(seq[1] ?? 0));
});

/** Returns the seq that the address names; 0 for none. */
const named = () => Number(/^#seq=(\d+)$/.exec(location.hash)?.[1] ?? 0);

addEventListener('hashchange', () => {
  if (slider() && (named() || !location.hash) && named() !== wound) wind(named());
});

// MARK: Keys

const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById('keys'));
const onOff = /** @type {HTMLInputElement | null} */ (document.getElementById('keys-on'));
const explain = () => dialog?.showModal();
document.getElementById('keys-open')?.addEventListener('click', explain);
if (onOff) {
  onOff.checked = localStorage.getItem('keys') !== 'off';
  onOff.onchange = () => localStorage.setItem('keys', onOff.checked ? 'on' : 'off');
}

/** Moves the focus along the rows of the longest table.
 * @param {number} step */
function move(step) {
  const tables = [...main.querySelectorAll('table')].map((table) =>
    [...table.rows].flatMap((row) => row.querySelector('a') ?? []));
  const rows = tables.reduce((longest, rows) => (rows.length > longest.length ? rows : longest), []);
  const at = rows.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
  rows[at < 0 ? 0 : at + step]?.focus();
}

function find() {
  const field = document.getElementById('f-prefix');
  if (field) field.focus();
  else location.assign('/console/instances#f-prefix');
}

/** @param {number} step */
function step(step) {
  const newest = Number(slider()?.dataset.newest);
  const seq = (wound || newest) + step;
  if (seq > 0) wind(seq > newest ? 0 : seq);
}

/** @type {Map<string, () => void>} */
const actions = new Map([
  ['/', find], ['?', explain], ['j', () => move(1)], ['k', () => move(-1)],
  ['ArrowLeft', () => step(-1)], ['ArrowRight', () => step(1)],
]);

document.addEventListener('keydown', (event) => {
  const target = /** @type {Element} */ (event.target);
  const action = actions.get(event.key);
  if (!action || !onOff?.checked || isModified(event) || target.closest('input, select, textarea, dialog')) return;
  // Some keyboards have `?` and `/` above other signs. A part that scrolls by itself keeps its arrows.
  if (event.shiftKey ? !'?/'.includes(event.key) : event.key.length > 1 && target.matches('[tabindex]')) return;
  event.preventDefault();
  action();
});

// MARK: Begin

document.documentElement.classList.add('js');
for (const drawing of main.querySelectorAll('.drawing')) center(drawing);
rove();
showTimes();
if (location.hash === '#f-prefix') find();
const done = document.getElementById('done');
if (done) {
  // Said once: a reload does not say it again. What is there from the beginning is not read aloud.
  history.replaceState(null, '', location.href.replace(/[?&]done=[a-z-]+/, ''));
  const text = done.textContent;
  done.textContent = '';
  setTimeout(() => (done.textContent = text), 200);
}
if (named() && slider()) wind(named());
else listen();

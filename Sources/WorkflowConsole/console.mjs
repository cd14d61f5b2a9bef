// The module of all pages. It exchanges parts of a page for those that the server makes, and makes no HTML itself.

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('console', {
  createHTML: (/** @type {string} */ html) => html,
});

/** Reads an answer of the console.
 * @param {string} html
 * @returns {HTMLElement | null} */
const read = (html) =>
  new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html').querySelector('main');

// MARK: Exchanging parts

/** Returns what tells an element from its siblings.
 * @param {Node | null} node */
const key = (node) =>
  node instanceof HTMLTableRowElement
    ? node.querySelector('a')?.getAttribute('href')
    : node instanceof Element && (node.id || node.getAttribute('data-part'));

/** Makes an element like another one, and keeps what is alike: focus, places of scrolling, what is typed.
 * @param {Element} old
 * @param {Element} fresh */
function exchange(old, fresh) {
  // The text of a time is the browser's.
  if (old instanceof HTMLTimeElement && old.dateTime === /** @type {HTMLTimeElement} */ (fresh).dateTime) return;
  const isDrawn = old.getAttribute('data-drawing') === fresh.getAttribute('data-drawing') && !fresh.firstChild;
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  }
  if (!old.hasAttribute('data-drawing')) exchangeContent(old, fresh);
  else if (isDrawn) light(old);
  else old.replaceChildren(...fresh.childNodes);
}

/** @param {Element} old
 * @param {Element} fresh */
function exchangeContent(old, fresh) {
  const keys = new Set([...fresh.children].map(key));
  let at = old.firstChild;
  const drop = () => {
    const next = at?.nextSibling ?? null;
    at?.remove();
    at = next;
  };
  for (const node of [...fresh.childNodes]) {
    while (at && key(at) && !keys.has(key(at))) drop();
    let match = at;
    while (match && key(match) !== key(node)) match = key(node) ? match.nextSibling : null;
    if (match?.nodeName !== node.nodeName) {
      old.insertBefore(node, at);
      continue;
    }
    if (match === at) at = match.nextSibling;
    else old.insertBefore(match, at);
    if (match instanceof Element) exchange(match, /** @type {Element} */ (node));
    else if (match.nodeValue !== node.nodeValue) match.nodeValue = node.nodeValue;
  }
  while (at) drop();
}

/** Lights the states and transitions that a drawing names.
 * @param {Element} drawing */
function light(drawing) {
  const words = (/** @type {Element} */ element, /** @type {string} */ name) =>
    (element.getAttribute(name) ?? '').split(' ').filter((word) => word);
  const active = new Set(words(drawing, 'data-active'));
  const taken = new Set(words(drawing, 'data-taken'));
  for (const state of drawing.querySelectorAll('[data-state]')) {
    state.classList.toggle('active', active.has(state.getAttribute('data-state') ?? ''));
  }
  for (const arrow of drawing.querySelectorAll('[data-transitions]')) {
    arrow.classList.toggle('taken', words(arrow, 'data-transitions').some((number) => taken.has(number)));
  }
}

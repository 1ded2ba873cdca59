// Creates DOM elements in one line.

type Child = Node | string;
type Props = Record<string, string | number | boolean | ((event: never) => void)>;

/**
 * `el('button', {class: 'x', 'aria-label': 'Play', onclick: f}, 'Play')`: functions become listeners, other
 * values attributes.
 */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

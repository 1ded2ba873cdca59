// Button icons on a 16 × 16 grid.

const kPaths = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
  next: 'M4 2.5v11l6-5.5zM11 2.5h2v11h-2z',
  previous: 'M12 2.5v11L6 8zM3 2.5h2v11H3z',
  first: 'M13 2.5v11L8 8zM8 2.5v11L3 8zM1.5 2.5h1.6v11H1.5z',
  last: 'M3 2.5v11L8 8zM8 2.5v11l5-5.5zM12.9 2.5h1.6v11h-1.6z',
  loop: 'M3 5h8V2.5L14.5 6 11 9.5V7H5v2H3zM13 11H5v2.5L1.5 10 5 6.5V9h6V7h2z',
  reset: 'M8 2a6 6 0 1 0 5.7 4.1l-1.9.6A4 4 0 1 1 8 4v2.2L11.5 3 8 0z',
  frame: 'M2 2h4v1.6H3.6V6H2zM10 2h4v4h-1.6V3.6H10zM2 10h1.6v2.4H6V14H2zM12.4 10H14v4h-4v-1.6h2.4zM6 6h4v4H6z',
  theme: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0 -13zM8 3a5 5 0 0 1 0 10z',
  close: 'M3.2 4.3l1.1-1.1L8 6.9l3.7-3.7 1.1 1.1L9.1 8l3.7 3.7-1.1 1.1L8 9.1l-3.7 3.7-1.1-1.1L6.9 8z',
} as const;

export type Icon = keyof typeof kPaths;

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', kPaths[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

export function setIcon(button: HTMLElement, name: Icon): void {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}

// A dialog that lists the keyboard shortcuts.
import { el } from './dom';

const kKeys: [string, string][] = [
  ['space', 'play or pause'],
  ['← →', 'one state back or on; with shift ten'],
  ['Home End', 'to the start or the end'],
  ['− +', 'slower or faster'],
  ['l', 'loop'],
  ['p n', 'to the previous or next step that is not certified'],
  ['f', 'follow the picked body'],
  ['r', 'frame all moving bodies'],
  ['t', 'light or dark'],
  ['Escape', 'unpick'],
  ['?', 'this help'],
];

export function helpDialog(): HTMLDialogElement {
  const rows = kKeys.map(([keys, what]) => el('tr', {},
    el('td', {}, ...keys.split(' ').map((key) => el('kbd', {}, key))), el('td', {}, what)));
  const dialog = el('dialog', { class: 'help', 'aria-label': 'Help', onclick: (event: MouseEvent) => {
    if (event.target === dialog) dialog.close();
  } },
  el('h2', {}, 'Keys'), el('table', {}, ...rows),
  el('h2', {}, 'Mouse'),
  el('p', {}, 'Drag turns the scene, the right button moves it, the wheel zooms. A click picks a body or a contact.'),
  el('p', {}, 'In a plot, a click goes to that time, a drag zooms in, a double click shows all again.'),
  el('form', { method: 'dialog' }, el('button', { class: 'toggle', autofocus: true }, 'Close')));
  return dialog;
}

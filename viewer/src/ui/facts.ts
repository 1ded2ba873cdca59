// A small table of names and values that is updated repeatedly.
import { el, setText } from './dom';

export interface Fact {
  label: string;
  values: string[];
  unit?: string;
  /** The values with all digits, shown as a tooltip. */
  exact?: ArrayLike<number>;
}

export class Facts {
  readonly element = el('table', { class: 'facts' });

  show(facts: Fact[]): void {
    const rows = this.element.rows;
    while (rows.length > facts.length) this.element.deleteRow(-1);
    facts.forEach((fact, i) => {
      const row = rows[i] ?? this.element.insertRow();
      while (row.cells.length < 2) row.insertCell();
      if (row.dataset.fact !== fact.label) {
        row.dataset.fact = fact.label;
        row.cells[0].replaceChildren(fact.label, el('small', {}, fact.unit ?? ''));
      }
      fillValues(row.cells[1], fact);
    });
  }
}

function fillValues(cell: HTMLElement, fact: Fact): void {
  while (cell.childElementCount > fact.values.length) cell.lastElementChild!.remove();
  while (cell.childElementCount < fact.values.length) cell.append(el('span'));
  cell.classList.toggle('vector', fact.values.length > 1);
  fact.values.forEach((text, i) => {
    const span = cell.children[i] as HTMLElement;
    setText(span, text);
    if (fact.exact) span.title = String(fact.exact[i]);
  });
}

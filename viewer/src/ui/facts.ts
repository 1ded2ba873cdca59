// A small table of names and numbers that is filled again and again.
import { el, setText } from './dom';

export interface Fact {
  label: string;
  values: string[];
  unit?: string;
  /** The numbers with all their digits, shown when pointed at. */
  exact?: ArrayLike<number>;
}

export class Facts {
  readonly element = el('table', { class: 'facts' });

  show(facts: Fact[]): void {
    const rows = this.element.rows;
    while (rows.length > facts.length) this.element.deleteRow(-1);
    facts.forEach((fact, i) => {
      const row = rows[i] ?? this.element.insertRow();
      while (row.cells.length < 3) row.insertCell();
      row.dataset.fact = fact.label;
      setText(row.cells[0], fact.label);
      fillValues(row.cells[1], fact);
      setText(row.cells[2], fact.unit ?? '');
    });
  }
}

function fillValues(cell: HTMLElement, fact: Fact): void {
  while (cell.childElementCount > fact.values.length) cell.lastElementChild!.remove();
  while (cell.childElementCount < fact.values.length) cell.append(el('span'));
  fact.values.forEach((text, i) => {
    const span = cell.children[i] as HTMLElement;
    setText(span, text);
    if (fact.exact) span.title = String(fact.exact[i]);
  });
}

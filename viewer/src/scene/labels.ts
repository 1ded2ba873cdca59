// Names over the scene, as HTML text: sharp at any quality.

export interface Label {
  text: string;
  x: number;
  y: number;
}

export class Labels {
  private readonly layer = document.createElement('div');

  constructor(parent: HTMLElement) {
    this.layer.className = 'labels';
    this.layer.setAttribute('aria-hidden', 'true');
    parent.append(this.layer);
  }

  show(labels: Label[]): void {
    while (this.layer.childElementCount > labels.length) this.layer.lastElementChild!.remove();
    while (this.layer.childElementCount < labels.length) this.layer.append(document.createElement('span'));
    labels.forEach(({ text, x, y }, i) => {
      const span = this.layer.children[i] as HTMLElement;
      if (span.textContent !== text) span.textContent = text;
      span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }
}

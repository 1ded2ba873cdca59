// Light and dark theme: that of the system until the user chooses one.
import type { Theme } from '../scene/palette';

export class ThemeSwitch {
  onChange: () => void = () => {};
  private chosen: Theme | undefined;
  private readonly system = window.matchMedia('(prefers-color-scheme: dark)');

  constructor() {
    this.system.addEventListener('change', () => this.apply());
    this.apply();
  }

  get theme(): Theme {
    return this.chosen ?? (this.system.matches ? 'dark' : 'light');
  }

  toggle(): void {
    this.chosen = this.theme === 'dark' ? 'light' : 'dark';
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    colours.clear();
    this.onChange();
  }
}

/** Cached per theme: computing the style for every line of a drawing is slow. */
const colours = new Map<string, string>();

export function cssColour(name: string): string {
  let colour = colours.get(name);
  if (colour === undefined) {
    colour = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    colours.set(name, colour);
  }
  return colour;
}

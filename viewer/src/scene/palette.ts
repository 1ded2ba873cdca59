// Colours of the scene. Contact states have colours that colour-blind users can distinguish, and different
// shapes.
export type Theme = 'light' | 'dark';

export interface SceneColours {
  ground: string;
  groundLine: string;
  solid: string;  // fixed bodies
  sky: string;
  bounce: string;
  shadow: number;
  normal: string;
  accent: string;
  markerEdge: string;
}

export const kScene: Record<Theme, SceneColours> = {
  light: {
    ground: '#eceff3', groundLine: '#aab4c2', solid: '#b4bcc8', sky: '#ffffff', bounce: '#c9c4bb', shadow: 0.28,
    normal: '#5b6675', accent: '#1f5fd0', markerEdge: '#ffffff',
  },
  dark: {
    ground: '#232a33', groundLine: '#56626f', solid: '#67727f', sky: '#cfdcec', bounce: '#3d434c', shadow: 0.5,
    normal: '#a9b5c3', accent: '#7fb2ff', markerEdge: '#10151b',
  },
};

export const kBodyColours = ['#4a7fb5', '#e2873a', '#5aa563', '#d35d5f', '#67b3b5', '#a878a8', '#e0bf45', '#97755f'];

/** Separating, sliding, sticking, indexed as in docs/viewer.md. */
export const kContactStates = ['separating', 'sliding', 'sticking'] as const;
export const kContactColours: Record<Theme, [string, string, string]> = {
  light: ['#7a8594', '#d55e00', '#0068b5'],
  dark: ['#aeb9c6', '#f5a142', '#5bb8f5'],
};
/** Text symbols of the three states; the markers in the scene have the same outlines. */
export const kContactSymbols = ['○', '▲', '■'] as const;

export function bodyColour(movingIndex: number): string {
  return kBodyColours[movingIndex % kBodyColours.length];
}

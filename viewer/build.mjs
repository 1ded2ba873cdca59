// Bundles the page into one file without references to the network: dist/page.html, or the path in the first
// argument.
import { build } from 'esbuild';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));

const bundle = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  write: false,
});
const textOf = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text;

// Only these sequences could end the script element; the escaped forms are the same strings in JavaScript.
const script = textOf('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const parts = { '/* style */': textOf('.css'), '/* script */': script };

let page = await readFile(join(root, 'src/page.html'), 'utf8');
for (const [mark, text] of Object.entries(parts)) {
  if (page.split(mark).length !== 2) throw new Error(`src/page.html must hold ${mark} once`);
  page = page.replace(mark, () => text);
}

// Written atomically, so that an interrupted build leaves no partial page.
const output = resolve(process.argv[2] ?? join(root, 'dist/page.html'));
await mkdir(dirname(output), { recursive: true });
await writeFile(`${output}.part`, page);
await rename(`${output}.part`, output);

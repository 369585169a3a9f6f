// `npm run pack:edge-cache`: the page cache as a package of its own, in dist/edge-cache, and as an
// archive beside it that `npm install` takes. The sources are TypeScript, which Node does not run
// out of node_modules: so they are bundled, with their types.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const source = join(root, 'edge-cache')
const target = resolve(process.argv[2] ?? join(root, 'dist/edge-cache'))

const run = (program: string, args: string[], cwd: string): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const file of ['package.json', 'README.md'])
  copyFileSync(join(source, file), join(target, file))
await build({
  entryPoints: [join(source, 'index.ts')],
  outfile: join(target, 'index.js'),
  bundle: true,
  format: 'esm',
  target: 'es2024',
})
run(
  process.execPath,
  [
    join(root, 'node_modules/typescript-native/bin/tsc'),
    ...['-p', 'tsconfig.package.json', '--outDir', join(target, 'types')],
  ],
  source,
)
mkdirSync(join(target, 'examples'))
for (const name of readdirSync(join(source, 'examples'))) {
  const text = readFileSync(join(source, 'examples', name), 'utf8')
  writeFileSync(
    join(target, 'examples', name),
    text.replaceAll("'../index.ts'", "'berth-edge-cache'"),
  )
}
console.log(target)

import { isScriptSource } from '#handlers/domain/files/script-source.ts'
import { expect, it } from 'vitest'
import { isHiddenPath, isTooDeep, scriptCandidates } from '#handlers/sites/paths/path-rules.ts'

/** The longest that a request line may name. */
const LENGTH = 15_900
const filled = (before: string, piece: string, after: string): string =>
  `${before}${piece.repeat(Math.floor(LENGTH / piece.length))}${after}`

it.each([
  [filled('/a', '.php', '/x')],
  [filled('/a', '.php9', 'x')],
  [filled('/a.php', '9', '/x')],
  [filled('/a.bak', '.bak1', 'x')],
  [filled('/a.sw', 'p.sw', '/x')],
  [filled('//', '#', 'x')],
  [filled('/', '/#', 'x')],
  [filled('/a.php', '.php_', '/x')],
])('paths of many endings are judged in one go: %#', (path) => {
  const startedMs = performance.now()
  for (let n = 0; n < 20; n++) {
    isHiddenPath(path)
    isScriptSource(path)
    isTooDeep(path)
    expect(scriptCandidates(path).length).toBeLessThanOrEqual(4)
  }
  // A path that was looked at again from each dot took 300 ms, each time.
  expect(performance.now() - startedMs).toBeLessThan(400)
})

it('scripts are looked for behind the first few endings only', () => {
  expect(scriptCandidates('/a.php/b.php.php/c.phpx/.php/d.php')).toEqual([
    '/a.php',
    '/a.php/b.php.php',
    '/a.php/b.php.php/c.phpx/.php/d.php',
  ])
  expect(scriptCandidates(filled('', '/a.php', '/x'))).toHaveLength(4)
})

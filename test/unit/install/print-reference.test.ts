import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ENTRY = join(import.meta.dirname, '../../../cli/print-reference.ts')

it('the installer is told the manual page and the completion of each shell in one go', () => {
  const texts = JSON.parse(
    execFileSync(process.execPath, [ENTRY], { encoding: 'utf8', maxBuffer: 2 ** 24 }),
  )
  expect(Object.keys(texts)).toEqual(['man', 'bash', 'zsh', 'fish'])
  expect(texts.man).toMatch(/^\.TH berth 1 /im)
  expect(texts.bash).toContain('complete -F _berth berth')
  expect(texts.zsh).toMatch(/^#compdef berth/)
  expect(texts.fish).toContain('complete -c berth')
})

import { expect, test } from 'vitest'
import { addedText } from '#handlers/domain/text/added-text.ts'
import { boundedOutput } from '#handlers/services/applications/deployment-output.ts'

test('what an output got since is what follows, also once its middle is left out', () => {
  const lines = Array.from({ length: 12_000 }, (_, at) => `line ${at}\n`)
  const upTo = (count: number) => boundedOutput(lines.slice(0, count).join(''))
  for (const count of [1, 1000, 6000, 11_000])
    expect(addedText(upTo(count), upTo(count + 3))).toBe(lines.slice(count, count + 3).join(''))
})

import { expect, test } from 'vitest'
import { openChildLog } from '#adapters/node/process/child-log.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

test('errors on the console name domain, path and reason, without control characters', () => {
  const directory = temporaryDirectory('bcl-')
  const shown: string[] = []
  const log = openChildLog(directory, 'web', (text) => shown.push(text))
  const write = (entry: object): void => log.write(Buffer.from(`${JSON.stringify(entry)}\n`))
  const place = { domain: 'a.test', path: '/x\u001b[31m' }
  write({ level: 50, msg: 'PHP did not answer', ...place, reason: 'too slow' })
  write({ level: 50, msg: 'a request failed', target: '/y' })
  write({ level: 50, msg: 'plain' })
  write({ level: 30, msg: 'not shown', ...place })
  log.close()
  expect(shown).toEqual([
    'PHP did not answer (a.test/x [31m: too slow)',
    'a request failed (/y)',
    'plain',
  ])
})

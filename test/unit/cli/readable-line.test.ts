import { expect, test } from 'vitest'
import { readableLine } from '../../../cli/terminal/readable-line.ts'

test.each([
  [
    '{"level":50,"time":1767225600000,"pid":7,"hostname":"h","name":"agent","msg":"it failed"}',
    '2026-01-01 00:00:00  error  it failed',
  ],
  [
    '{"level":30,"time":1767225600000,"msg":"put","domain":"a.example","why":"two words","n":3,"x":null}',
    '2026-01-01 00:00:00  info   put  domain=a.example  why="two words"  n=3',
  ],
  ['{"level":40,"msg":"no time"}', '-                    warn   no time'],
  ['{"level":40,"time":1e99,"msg":"odd time"}', '-                    warn   odd time'],
  ['{"level":"30","msg":"another program"}', '{"level":"30","msg":"another program"}'],
  ['{broken', '{broken'],
  ['1.2.3.4 - - "GET / HTTP/1.1" 200', '1.2.3.4 - - "GET / HTTP/1.1" 200'],
  ['evil \u001b[2J', 'evil \\u{1b}[2J'],
  [
    '{"level":30,"msg":"evil \\u001b[2J","k\\u202e":"v"}',
    '-                    info   evil \\u{1b}[2J  k\\u{202e}=v',
  ],
])('%s is %s', (line, shown) => {
  expect(readableLine(line)).toBe(shown)
})

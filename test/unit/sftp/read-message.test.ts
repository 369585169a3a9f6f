import { expect, it } from 'vitest'
import { readSessionMessage } from '#adapters/node/agent/sftp/sessions/read-message.ts'

const of = (text: string) => readSessionMessage(`<38>Nov  4 04:50:00 internal-sftp[123]: ${text}`)

it('knows who came, who went and what was changed', () => {
  expect(of('session opened for local user lena from [192.0.2.7]')).toEqual({
    kind: 'opened',
    address: '192.0.2.7',
  })
  expect(of('session opened for local user lena from [fe80::1%eth0]')).toEqual({
    kind: 'opened',
    address: 'fe80::1',
  })
  expect(of('session closed for local user lena from [192.0.2.7]')).toEqual({ kind: 'closed' })
  for (const [text, paths] of [
    ['close "/home/lena/a b" bytes read 0 written 12', ['/home/lena/a b']],
    ['forced close "/home/lena/a" bytes read 0 written 1', ['/home/lena/a']],
    ['open "/home/lena/a" flags WRITE,CREATE,TRUNCATE mode 0664', ['/home/lena/a']],
    ['posix-rename old "/home/lena/a" new "/home/lena/b"', ['/home/lena/a', '/home/lena/b']],
    ['remove name "/home/lena/a"', ['/home/lena/a']],
    ['set "/home/lena/a" mode 0644', ['/home/lena/a']],
    ['remove name "a"', null],
    ['remove name "/home/lena/../x"', null],
    ['remove name "/home/lena/a\\303\\244"', null],
  ] as const)
    expect([text, of(text)]).toEqual([text, { kind: 'changed', paths }])
})

it('finds nothing in what only reads, and in what nobody says', () => {
  for (const text of [
    'open "/home/lena/a" flags READ mode 0666',
    'close "/home/lena/a" bytes read 12 written 0',
    'opendir "/home/lena"',
    'sent status No such file',
    'session opened for local user lena from [1.2.3.4] and more',
  ])
    expect([text, of(text)]).toEqual([text, null])
  for (const entry of ['', 'remove name "/a"', '<38>remove name "/a"', '\0', '<38>'.repeat(9000)])
    expect(readSessionMessage(entry)).toBeNull()
})

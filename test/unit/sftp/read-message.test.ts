import { expect, it } from 'vitest'
import { readSessionMessage } from '#adapters/node/agent/sftp/sessions/read-message.ts'

const FROM = { process: 123 }
const of = (text: string) => readSessionMessage(`<38>Nov  4 04:50:00 internal-sftp[123]: ${text}`)

it('knows who came, who went and what was changed', () => {
  expect(of('session opened for local user lena from [192.0.2.7]')).toEqual({
    ...FROM,
    kind: 'opened',
    address: '192.0.2.7',
  })
  expect(of('session opened for local user lena from [fe80::1%eth0]')).toEqual({
    ...FROM,
    kind: 'opened',
    address: 'fe80::1',
  })
  expect(of('session closed for local user lena from [192.0.2.7]')).toEqual({
    ...FROM,
    kind: 'closed',
  })
  for (const [text, paths] of [
    ['open "/home/lena/a" flags WRITE,CREATE,TRUNCATE mode 0664', ['/home/lena/a']],
    ['posix-rename old "/home/lena/a" new "/home/lena/b"', ['/home/lena/a', '/home/lena/b']],
    ['remove name "/home/lena/a"', ['/home/lena/a']],
    ['set "/home/lena/a" mode 0644', ['/home/lena/a']],
    ['remove name "a"', null],
    ['remove name "/home/lena/../x"', null],
    ['remove name "/home/lena/a\\303\\244"', null],
  ] as const)
    expect([text, of(text)]).toEqual([text, { ...FROM, kind: 'changed', paths }])
  for (const how of ['close', 'forced close'])
    expect(of(`${how} "/home/lena/a b" bytes read 3 written 12`)).toEqual({
      ...{ ...FROM, kind: 'moved', paths: ['/home/lena/a b'], readBytes: 3, writtenBytes: 12 },
    })
})

it('knows what sshd itself says of who came in', () => {
  const ssh = (text: string) => readSessionMessage(`<39>Nov  4 04:50:00 sshd[9]: ${text}`)
  const active = 'debug1: auth.c:auth_log_authopts():695 (pid=9): active: key options:'
  const begun = (keyId: number | null) => ({ process: 9, kind: 'began', keyId })
  expect(ssh(`${active} tun=17`)).toEqual(begun(17))
  expect(ssh(`${active} pty tun=2 user-rc`)).toEqual(begun(2))
  expect(ssh(`${active} agent-forwarding pty`)).toEqual(begun(null))
  const start = 'session.c:do_exec():699 (pid=9): Starting session:'
  const what = "forced-command (config) 'internal-sftp -l INFO' for lena"
  expect(ssh(`${start} ${what} from 2001:db8::1 port 4711 id 0`)).toEqual({
    ...{ process: 9, kind: 'located', address: '2001:db8::1', asked: 'sftp' },
  })
  expect(ssh('Disconnected from user lena 192.0.2.7 port 4711')).toEqual({
    ...{ process: 9, kind: 'ended' },
  })
  expect(of(`${active} tun=17`)).toBeNull()
  expect(ssh('remove name "/home/lena/a"')).toBeNull()
})

it('finds nothing in what only reads, and in what nobody says', () => {
  for (const text of [
    'open "/home/lena/a" flags READ mode 0666',
    'opendir "/home/lena"',
    'sent status No such file',
    'session opened for local user lena from [1.2.3.4] and more',
  ])
    expect([text, of(text)]).toEqual([text, null])
  for (const entry of ['', 'remove name "/a"', '<38>remove name "/a"', '\0', '<38>'.repeat(9000)])
    expect(readSessionMessage(entry)).toBeNull()
})

it('knows what a connection is for', () => {
  const jailed =
    "Starting session: forced-command (config) 'internal-sftp -l INFO -u 0022' for lena"
  const ssh = (text: string) => readSessionMessage(`<39>Nov  4 04:50:00 sshd[9]: ${text}`)
  const at = 'debug1: session.c:do_exec():471 (pid=9):'
  expect(ssh(`${at} ${jailed} from 192.0.2.7 port 22 id 0`)).toMatchObject({ asked: 'sftp' })
  const said = (text: string) => readSessionMessage(`<38>Nov  4 04:50:00 berth-login[12]: ${text}`)
  expect(said('rsync for 9')).toEqual({ kind: 'asked', process: 12, of: 9, asked: 'rsync' })
  for (const text of ['port for 9', 'scp for 9 and 10', 'scp for', 'shell', ''])
    expect([text, said(text)]).toEqual([text, null])
})

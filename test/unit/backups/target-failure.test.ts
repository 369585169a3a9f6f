import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createS3Store } from '#adapters/node/agent/backups/remote/s3-store.ts'
import { createSftpStore } from '#adapters/node/agent/backups/remote/sftp-store.ts'
import { targetFailure } from '#adapters/node/agent/backups/remote/target-failure.ts'
import { checkTarget } from '#adapters/node/agent/snapshots/repository/check-target.ts'

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => (error as Error).message,
  )

describe('a failure of a target', () => {
  it.each([
    ['connect ECONNREFUSED 10.1.2.3:443', 'connect ECONNREFUSED …', 'Nothing answers'],
    ['connect EHOSTUNREACH 10.1.2.3:22 - Local (10.0.0.9:40112)', 'EHOSTUNREACH … -', 'firewalls'],
    ['connect ECONNREFUSED ::1:9000', 'connect ECONNREFUSED …', 'Nothing answers'],
    ['connect ENETUNREACH fd00:ec2::254:443', 'connect ENETUNREACH …', 'Nothing answers'],
    ['connect ETIMEDOUT 2001:db8::1:443 - Local (:::0)', 'connect ETIMEDOUT …', 'firewalls'],
    ['getaddrinfo ENOTFOUND s3.corp.internal', 'getaddrinfo ENOTFOUND …', 'cannot be resolved'],
    [
      "Hostname/IP does not match certificate's altnames: Host: s3.corp.internal. is not in the cert's altnames: DNS:a.corp.internal",
      'does not match certificate',
      'TLS certificate',
    ],
    ['10.1.2.3 lies in a private network. Allow that (allow_private)', '… lies in', 'private'],
    ['mkdir: Permission denied /srv/corp.internal/host', 'Permission denied …', 'rights there'],
    ['it answered 403 AccessDenied', 'answered 403 AccessDenied', 'The key may not'],
  ])('says what, why and what to do, and not where: %s', (said, told, advice) => {
    const cause = new Error(said)
    const failure = targetFailure('offsite', cause)
    expect(failure.message).toContain('The backup target "offsite" failed')
    expect(failure.message).toContain(told)
    expect(failure.message).toContain(advice)
    expect(failure.message).not.toMatch(/10\.|corp|::|fd00|2001|:443|:22|:9000/)
    // The agent logs causes, and administrators who test a target are told all.
    expect(failure.cause).toBe(cause)
    expect(targetFailure('offsite', cause, { tellsAll: true }).message).toContain(said)
  })

  it('of S3 and of SFTP says not where it is unless it is told to', async () => {
    const port = await closedPort()
    const s3 = {
      ...{ endpoint: `http://127.0.0.1:${port}`, bucket: 'b', region: 'us-east-1' },
      ...{ accessKeyId: 'a', secretAccessKey: 'b', reach: 'anywhere' as const },
    }
    const sftp = {
      ...{ host: '127.0.0.1', port, username: 'u', hostKey: 'SHA256:x', path: '/srv' },
      ...{ credentials: { password: 'p' }, reach: 'anywhere' as const },
    }
    for (const store of [createS3Store('x', s3, ''), createSftpStore('x', sftp)]) {
      const message = await messageOf(store.list(''))
      expect(message).toContain('ECONNREFUSED …. Nothing answers')
      expect(message).not.toContain(String(port))
    }
    const tellsAll = true
    for (const store of [
      createS3Store('x', { ...s3, tellsAll }, ''),
      createSftpStore('x', { ...sftp, tellsAll }),
    ])
      expect(await messageOf(store.list(''))).toContain(`127.0.0.1:${port}`)
  })

  it('of snapshots too', async () => {
    const message = await messageOf(checkTarget('x', '127.0.0.1', 'internet'))
    expect(message).toContain('is an address of this machine')
    expect(message).not.toContain('127.0.0.1')
    const name = await messageOf(checkTarget('x', 'nowhere.invalid', 'internet'))
    expect(name).toContain('The backup target "x" failed')
    expect(name).not.toContain('nowhere.invalid')
  })
})

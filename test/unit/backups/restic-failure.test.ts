import { expect, it } from 'vitest'
import { resticFailure } from '#adapters/node/agent/snapshots/repository/restic-failure.ts'

it.each([
  'Fatal: unable to open repository at /var/lib/berth/snapshots/alice: something broke',
  'Fatal: unable to open repository at s3:https://s3.inner.example/bucket/host/alice: broke',
  'Fatal: dial tcp 10.1.2.3:9000: connect: connection refused',
  'open "/var/lib/berth/snapshot-work/ssh-00ff/known_hosts": broke',
  `error: ${'/a'.repeat(5000)}`,
])('what restic says of places is for the log alone: %s', (stderr) => {
  const { message, status, cause } = resticFailure('on this host', 1, stderr)
  expect(status).toBe(503)
  expect(message).not.toMatch(/\/var|inner|bucket|10\.1\.2|9000|known_hosts|\/a/)
  expect(message).toContain('restic failed on this host')
  expect(message.length).toBeLessThan(600)
  expect(String(cause)).toContain(stderr.slice(-100))
})

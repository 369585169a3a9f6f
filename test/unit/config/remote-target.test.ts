import { describe, expect, it } from 'vitest'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

const parse = (text: string) =>
  parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true })
const problemsOf = (text: string): string[] =>
  parse(text).problems.map(({ key, message }) => `${key} ${message}`)

const S3 = `[[remote_target]]
name = "bucket"
type = "s3"
endpoint = "https://s3.example.com"
bucket = "backups"
access_key_id = "id"
secret_key_file = "s3.key"
`
const SFTP = `[[remote_target]]
name = "box"
type = "sftp"
endpoint = "box.example.com:2222"
username = "berth"
path = "/backups/"
password_file = "/etc/berth/secrets/box"
host_key = "SHA256:${'A'.repeat(43)}"
`

describe('[backups] and [[remote_target]]', () => {
  it('are off without being there', () => {
    const { config, problems } = parse('')
    expect(problems).toEqual([])
    expect(config.backups).toMatchObject({ schedule: null, at_once: 1, allow_local_targets: false })
    expect(config.remote_target).toEqual([])
  })

  it('are taken as they are written, paths beside the file', () => {
    const { config, problems } = parse(
      `[backups]\nschedule = 3\nretention_days = 7\nat_once = 2\n${S3}is_default = true\n${SFTP}`,
    )
    expect(problems).toEqual([])
    expect(config.backups).toMatchObject({ schedule: 3, retention_days: 7, at_once: 2 })
    expect(config.remote_target).toMatchObject([
      { name: 'bucket', is_default: true, secret_key_file: '/etc/berth/s3.key', host_key: null },
      { name: 'box', is_default: false, path: '/backups', allow_private: false },
    ])
  })

  it.each([
    ['[backups]\nschedule = 24\n', 'backups.schedule'],
    ['[backups]\nretention_days = 0\n', 'backups.retention_days'],
    ['[backups]\nat_once = 0\n', 'backups.at_once'],
    [S3 + S3, 'remote_target[1].name'],
    [`${S3}is_default = true\n${SFTP}is_default = true\n`, 'remote_target[1].is_default'],
    [S3.replace('"bucket"', '"local"'), 'remote_target[0].name'],
    [S3.replace('"bucket"', '"../x"'), 'remote_target[0].name'],
    [S3.replace('https:', 'http:'), 'remote_target[0].endpoint'],
    [S3.replace('bucket = "backups"\n', ''), 'remote_target[0].bucket'],
    [`${S3}secret_key = "x"\n`, 'remote_target[0].secret_key'],
    [`${S3}host_key = "SHA256:${'A'.repeat(43)}"\n`, 'remote_target[0].host_key'],
    [SFTP.replace(/host_key.*\n/, ''), 'remote_target[0].host_key'],
    [SFTP.replace(/SHA256:A+/, 'MD5:aa'), 'remote_target[0].host_key'],
    [SFTP.replace(/password_file.*\n/, ''), 'remote_target[0].password_file'],
    [`${SFTP}private_key_file = "k"\n`, 'remote_target[0].password_file'],
    [SFTP.replace('box.example.com:2222', 'box:99999'), 'remote_target[0].endpoint'],
    [S3.replace('[[remote_target]]', '[remote_target]'), 'remote_target'],
  ])('names what is wrong: %#', (text, key) => {
    expect(problemsOf(text).map((problem) => problem.split(' ')[0])).toContain(key)
  })

  it('plain http is taken where the target may be near', () => {
    expect(problemsOf(`${S3.replace('https:', 'http:')}allow_private = true\n`)).toEqual([])
  })
})

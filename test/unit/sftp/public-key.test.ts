import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fingerprintOf, parsePublicKey, type PublicKey } from '#handlers/domain/sftp/public-key.ts'

let directory = ''
let serial = 0
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'bkeys-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const made = (type: string, bits: string): { line: string; fingerprint: string } => {
  const file = join(directory, String((serial += 1)))
  execFileSync('ssh-keygen', ['-q', '-t', type, '-b', bits, '-N', '', '-C', 'my box', '-f', file])
  const shown = execFileSync('ssh-keygen', ['-lf', `${file}.pub`], { encoding: 'utf8' })
  return { line: readFileSync(`${file}.pub`, 'utf8'), fingerprint: shown.split(' ')[1] ?? '' }
}
const keyOf = (line: string): PublicKey => {
  const key = parsePublicKey(line)
  if ('fault' in key) throw new Error(key.fault)
  return key
}

test.each([
  ['ed25519', '256', null],
  ['rsa', '2048', 2048],
  ['ecdsa', '256', null],
  ['ecdsa', '384', null],
  ['ecdsa', '521', null],
] as const)('reads what ssh-keygen makes: %s %s', async (type, length, bits) => {
  const { line, fingerprint } = made(type, length)
  const key = keyOf(line)
  expect(key).toMatchObject({
    comment: 'my box',
    bits,
    text: line.split(' ').slice(0, 2).join(' '),
  })
  expect(await fingerprintOf(key.blob)).toBe(fingerprint)
})

test('a key is taken as one line, without options, and whole', () => {
  const { line } = made('ed25519', '256')
  const [type = '', base64 = ''] = line.trim().split(' ')
  const short = made('rsa', '1024').line
  for (const [bad, why] of [
    [`${line}${line}`, /one line/],
    [`${type} ${base64}\rcommand="id"`, /one line/],
    [`${type} ${base64}\u2028x`, /one line/],
    [`command="id" ${line}`, /begin with its type/],
    [`restrict ${line}`, /begin with its type/],
    [`cert-authority ${line}`, /begin with its type/],
    [`ssh-ed25519-cert-v01@openssh.com ${base64}`, /begin with its type/],
    [`ssh-rsa ${base64}`, /not whole/],
    [`${type} ${base64.slice(0, -4)}`, /not whole/],
    [`${type} ${base64}AAAA`, /not whole/],
    [`${type} ${base64.replace(/.$/, '=')}`, /not whole/],
    [`${type} ${base64.replace('AAAA', 'AA AA')}`, /not whole/],
    [`${type}`, /not whole/],
    ['constructor AAAA', /begin with its type/],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3', /private key/],
    ['---- BEGIN SSH2 PUBLIC KEY ----', /another format/],
    [`ssh-dss ${base64}`, /DSA/],
    [short, /only 1024 bits/],
    ['x'.repeat(9000), /at most/],
    ['', /begin with its type/],
  ] as const)
    expect([bad, parsePublicKey(bad)]).toEqual([bad, { fault: expect.stringMatching(why) }])
  expect(keyOf(` \t${type}\t${base64} a  b\n`)).toMatchObject({ text: `${type} ${base64}` })
})

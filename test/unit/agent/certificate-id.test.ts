import { AuthorityKeyIdentifierExtension, X509CertificateGenerator } from '@peculiar/x509'
import { expect, test } from 'vitest'
import { certificateId } from '#adapters/node/agent/certificates/renewal-info.ts'

const KEY = '69885b6b87464041e1b37b847ba0ae2cde01c8d4'
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

const withSerial = async (serialNumber: string, keyId: string | null = KEY): Promise<string> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const extensions = keyId === null ? [] : [new AuthorityKeyIdentifierExtension(keyId)]
  const made = await X509CertificateGenerator.createSelfSigned({
    ...{ serialNumber, keys, extensions, name: 'CN=a.example', signingAlgorithm: ALGORITHM },
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2026-04-01'),
  })
  return made.toString('pem')
}

test.each([
  // Of the example of RFC 9773, 4.1.
  ['0087654321', 'AIdlQyE'],
  ['7f654321', 'f2VDIQ'],
  ['03ab', 'A6s'],
])('an authority knows a certificate by its serial number as DER has it: %s', async (given, id) => {
  expect(await withSerial(given).then(certificateId)).toBe(`aYhba4dGQEHhs3uEe6CuLN4ByNQ.${id}`)
})

test('one that names no key of its authority is known by nothing', async () => {
  expect(certificateId(await withSerial('01', null))).toBeNull()
})

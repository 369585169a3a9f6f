import { expect, test } from 'vitest'
import { explainCertificateError } from '#adapters/node/web-server/tls/check-certificate.ts'

test('a key that the web server may not read says what to do', () => {
  const refused = Object.assign(new Error("EACCES: permission denied, open '/x.key'"), {
    code: 'EACCES',
  })
  expect(explainCertificateError(refused)).toMatch(/'\/x\.key'\. .*chgrp berth-web, chmod 640/)
  expect(explainCertificateError(new Error('key values mismatch'))).toBe('key values mismatch')
})

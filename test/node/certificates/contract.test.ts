import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { certificatesPortContract } from '#test/contract/certificates/certificates-port.ts'
import { createCertificatesFixture } from './certificates-fixture.ts'

certificatesPortContract('Pebble', async () => {
  const fixture = await createCertificatesFixture()
  const { username, domain, id, home } = await fixture.account()
  const other = await fixture.account()
  const lostAlias = `lost.${domain}`
  const added = await fixture.admin.post('/api/domains', {
    account_id: id,
    domain_name: lostAlias,
    domain_type: 'alias',
    document_root: `${home}/public_html`,
  })
  if (added.status !== 200) throw new Error(JSON.stringify(added.body))
  await fixture.moveAway(lostAlias)
  return {
    certificates: fixture.certificates,
    username,
    otherUsername: other.username,
    domain,
    alias: `www.${domain}`,
    lostAlias,
    versions: async () =>
      (await readdir(join(fixture.sslDirectory, domain)).catch(() => [])).sort(),
    dispose: fixture.dispose,
  }
})

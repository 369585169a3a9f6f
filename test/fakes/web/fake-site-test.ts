import { invalid, notFound } from '#handlers/errors.ts'
import type { SiteTest, SiteTestResult } from '#handlers/ports/host/web/site-test.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { createExplainer } from '#handlers/sites/explain/explain-request.ts'
import { createSiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'
import { memoryFiles } from '#test/unit/sites/memory-site.ts'
import { createRecordingLog } from '../recording-log.ts'

/** Every site of the fake has these, and the rules of a draft. */
const TREE = { '/index.php': '', '/page.html': 'a page' }

/** Thinks a request through as the web server does, with a site in memory. */
export const fakeSiteTest = async (
  test: SiteTest,
  hosts: Iterable<VirtualHostSpec>,
): Promise<SiteTestResult> => {
  const files = memoryFiles(TREE)
  const rules = createSiteRules({
    files,
    ruleFiles: { read: async () => ({ kind: 'missing' }), verifyPassword: async () => false },
    log: createRecordingLog(),
    nowMs: () => Date.now(),
  })
  const table = createVirtualHostTable(
    [...hosts].map(({ domain, aliases, root }) =>
      virtualHost(domain, { aliases, root, home: root, htaccess: true }),
    ),
  )
  const answer = await createExplainer({ hosts: () => table, files, rules })(test)
  if (answer === 'not-there') throw notFound('The web server has no site of that name.')
  if (answer === 'not-of-site') throw invalid('url', 'The address is not one of the site.')
  return answer
}

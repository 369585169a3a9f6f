import { conflict, invalid } from '../../errors.ts'
import type { AccountRow, DomainRow } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'
import { siteOfRoot } from '../virtual-hosts/virtual-hosts.ts'

/** An alias is another name of a site that is there; 400 when the document root is no site's. */
export const assertSite = async (
  store: Pick<Store, 'listDomains'>,
  account: AccountRow,
  root: string,
): Promise<void> => {
  const { rows } = await store.listDomains({ accountId: account.id })
  if (siteOfRoot(rows, account.id, root) !== null) return
  throw invalid(
    'document_root',
    `document_root ${root} is not that of another domain of ${account.username}, and an alias is another name of an existing site. Use the document root of an existing domain, for example that of ${account.primary_domain}, or add the name as domain_type addon.`,
  )
}

/** 409 when aliases of the site would have no site left. */
export const assertNoAliases = async (
  store: Pick<Store, 'listDomains'>,
  domain: DomainRow,
): Promise<void> => {
  const { rows } = await store.listDomains({ accountId: domain.account_id })
  const { id, account_id, document_root: root, domain_type: type } = domain
  const others = rows.filter((row) => row.id !== id)
  if (type === 'alias' || siteOfRoot(others, account_id, root) !== null) return
  const aliases = others.filter((row) => row.domain_type === 'alias' && row.document_root === root)
  if (aliases.length === 0) return
  throw conflict(
    `${domain.domain_name} has aliases: ${aliases.map((row) => row.domain_name).join(', ')}. Delete them first.`,
  )
}

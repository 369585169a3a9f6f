import type { Domain } from '$lib/api/types'

/**
 * Names of the sites whose document root is the folder or holds it. `home` is
 * absolute, `folder` relative to it; domains are those of one account.
 */
export const sitesOfFolder = (
  domains: readonly Pick<Domain, 'domain_name' | 'domain_type' | 'document_root'>[],
  home: string,
  folder: string,
): string[] => {
  const path = folder === '' ? home : `${home}/${folder}`
  return domains
    .filter(({ domain_type }) => domain_type !== 'alias')
    .filter(({ document_root: root }) => path === root || path.startsWith(`${root}/`))
    .map(({ domain_name }) => domain_name)
}

import type { InspectedArchive } from '$lib/api/types'
import type { ImportChoices } from './import-work.svelte'

/** The import of an archive as one types it. */
export type ImportValues = {
  username: string
  domain: string
  email: string
  /** '' while none is chosen. */
  plan: string
  /** '': the one that the account had. */
  password: string
  unproved: boolean
  fix_configs: boolean
  /** Names of the further domains, in the order of `furtherDomains`; '': left out. */
  domains: string[]
}

const primaryOf = ({ archived }: InspectedArchive): string =>
  archived?.domains.find(({ domain_type }) => domain_type === 'primary')?.domain_name ?? ''

/** What the archive suggests; `plans` are those that there are. */
export const importValues = (
  inspected: InspectedArchive | null,
  plans: readonly string[],
): ImportValues => ({
  username: inspected?.username ?? '',
  domain: inspected === null ? '' : primaryOf(inspected),
  email: inspected?.archived?.email ?? '',
  plan: plans.find((name) => name === inspected?.archived?.plan) ?? '',
  password: '',
  unproved: false,
  fix_configs: false,
  domains: furtherDomains(inspected),
})

/** The domains beside the primary one, whose names may be chosen too. */
export const furtherDomains = (inspected: InspectedArchive | null): string[] =>
  (inspected?.archived?.domains ?? [])
    .filter(({ domain_type }) => domain_type !== 'primary')
    .map(({ domain_name }) => domain_name)

/** What is sent. A further domain that stays as it was is not, so that it follows the primary one. */
export const importChoices = (
  inspected: InspectedArchive | null,
  { username, domain, email, plan, password, unproved, fix_configs, domains }: ImportValues,
): ImportChoices => {
  const changed = furtherDomains(inspected).flatMap((from, at): [string, string | null][] => {
    const to = domains[at]?.trim() ?? ''
    return to === from ? [] : [[from, to === '' ? null : to]]
  })
  return {
    username: username.trim(),
    domain: domain.trim(),
    email: email.trim(),
    plan,
    ...(changed.length === 0 ? {} : { domains: Object.fromEntries(changed) }),
    ...(password === '' ? {} : { password }),
    ...((inspected?.configs.length ?? 0) > 0 ? { fix_configs } : {}),
    ...(inspected?.proof === 'unproved' ? { unproved } : {}),
  }
}

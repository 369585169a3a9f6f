import type { MemberRole } from '#handlers/ports/store/records.ts'

/** Texts of what a person is in an account, as every page shows it. */
export const membership = {
  roles: { owner: 'Owner', developer: 'Developer', reader: 'Reader' } satisfies Record<
    MemberRole,
    string
  >,
  switch: 'Work in another account',
  looksOnly: 'You look at this account as a reader: what changes something is refused.',
  closed: 'Not while it is suspended',
}

import type { membership as english } from '../../en/settings/membership.ts'

/** German texts of what a person is in an account, as every page shows it. */
export const membership: typeof english = {
  roles: { owner: 'Inhaber', developer: 'Entwickler', reader: 'Leser' },
  switch: 'In einem anderen Konto arbeiten',
  looksOnly: 'Sie sehen dieses Konto als Leser: was etwas ändert, wird abgelehnt.',
  closed: 'Nicht, solange es gesperrt ist',
}

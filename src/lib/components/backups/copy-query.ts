/** Query that asks for a copy of a backup. Should the one on this host be gone or damaged, one at a target serves. */
export const copyQuery = (location: string): string =>
  location === 'local' ? '' : `?${new URLSearchParams({ location })}`

/** Where to go after login: a path of this panel, else the dashboard. Never another host. */
export const nextPath = (wanted: string | null): string =>
  wanted !== null && /^\/(?![/\\])[^\s\\]*$/.test(wanted) ? wanted : '/'

/** Name of the cookie that holds a session of the panel. */
export const PANEL_COOKIE = 'panel_token'

const SOMEWHERE = new RegExp(PANEL_COOKIE, 'i')
const PAIR = new RegExp(`^\\s*${PANEL_COOKIE}\\s*(?:=|$)`, 'i')

/** A `Cookie` field without the panel's session, in whatever case; empty where nothing else was in it. */
export const withoutPanelCookie = (field: string): string =>
  !SOMEWHERE.test(field)
    ? field
    : field
        .split(';')
        .filter((pair) => !PAIR.test(pair))
        .join(';')
        .trim()

/** Where a site takes a ticket for its administration; it stands behind `#` in the address that a browser is led to. */
export const LOGIN_PATH = '/.well-known/berth-login'

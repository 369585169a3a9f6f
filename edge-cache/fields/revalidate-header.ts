/**
 * Internal response header of an origin that answers from a file: seconds after
 * which the cache asks again with the entry's validators before it serves the
 * entry. It never reaches the client. With `1` an edited page is seen within a
 * second, at the price of one conditional request per second and page.
 */
export const REVALIDATE_HEADER = 'berth-revalidate'

/** Whether a name reads as an IPv4 address to a browser: its last label is a number (WHATWG URL, 3.5). */
export const endsInNumber = (name: string): boolean => /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(name)

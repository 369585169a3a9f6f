/** What is done with a hash that somebody brings along; null: it is taken over. */
export type HashFault = 'none' | 'costly'

/** crypt(5) without the methods that are too weak to be taken over. */
const HASH = /^\$(?:y|gy|7|2b|2y|6|5)\$[./0-9A-Za-z$=,]{8,400}$/

/**
 * Of each method no more work than about a second and 64 MiB, several times what systems ask for by themselves: whoever
 * knocks at the door of an account has it done each time.
 */
const BOUNDED = [
  // yescrypt: flags, N up to 2^14, r of 8 or 32; no more parameters.
  /^\$g?y\$j[./0-9AB][5T]\$/,
  // scrypt: N up to 2^14, r up to 32, p of 1.
  /^\$7\$[./0-9A-C][./0-9A-U]\.{4}\/\.{4}/,
  /^\$2[by]\$(?:0[4-9]|1[0-3])\$/,
  /^\$[56]\$(?:rounds=[1-9][0-9]{3,5}\$)?[./0-9A-Za-z]{0,16}\$/,
]

/** Whether it is a hash of crypt(5); what it costs is not judged. */
export const isSystemHash = (hash: string): boolean => HASH.test(hash)

/** Why a hash of a system user's password is not taken over. */
export const systemHashFault = (hash: string): HashFault | null => {
  if (!HASH.test(hash)) return 'none'
  return BOUNDED.some((one) => one.test(hash)) ? null : 'costly'
}

/**
 * What editors, merges and careful people leave beside the real file: `x~`,
 * `#x#`, `x.bak`, `x.swp`, nano's `x.save.1`, vim's second swap file `x.swo`.
 * There is no switch for it: a file that is meant to be seen can have another name.
 */
const BACKUP =
  /(?:~|\/#[^/]*#|\.(?:bak|bkp|backup|old|orig|rej|save|sw[j-px]|un~)(?:[._-]?\d{1,3})?)$/i
/** `config.php.dist`, `index.php_2`, `config.php copy`: names of source that no rule for `.php` would catch. */
const SCRIPT_COPY = /\.(?:php\d?|phtml|phar|inc)[._ -]/i
const HARMLESS_TYPE = /\.(?:txt|html?|css|js|map|png|jpe?g|gif|svg|webp|pdf)$/i

/**
 * Whether a path must look as if nothing were there: a segment with a leading
 * dot (`.env`, `.git`), save `/.well-known` (RFC 8615), or a backup copy.
 */
export const isHiddenPath = (file: string): boolean => {
  const visible = /^\/\.well-known(?=\/|$)/.test(file) ? file.slice('/.well-known'.length) : file
  if (visible.includes('/.')) return true
  if (BACKUP.test(file)) return true
  return SCRIPT_COPY.test(file.slice(file.lastIndexOf('/') + 1)) && !HARMLESS_TYPE.test(file)
}

/** Far more than any site nests; each segment is looked up on the disk, often several times. */
const MAX_SEGMENTS = 64

/** Whether a path has more segments than a file's may have. */
export const isTooDeep = (file: string): boolean => {
  let segments = 0
  for (let at = file.indexOf('/'); at !== -1; at = file.indexOf('/', at + 1)) {
    if (++segments > MAX_SEGMENTS) return true
  }
  return false
}

/** Each candidate costs a look at the disk, and no application nests scripts. */
const MAX_CANDIDATES = 4

/** Where a path may be split into script and PATH_INFO: after each of the first segments that end in `.php`, first to last. */
export const scriptCandidates = (file: string): string[] => {
  const found: string[] = []
  for (let from = 0; ;) {
    const at = file.indexOf('.php', from)
    if (at === -1) return found
    const end = at + 4
    if ((end === file.length || file[end] === '/') && file[at - 1] !== '/') {
      found.push(file.slice(0, end))
      if (found.length === MAX_CANDIDATES) return found
    }
    from = end
  }
}

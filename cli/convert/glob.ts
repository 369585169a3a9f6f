/** Whether a name fits a pattern of `*`, `?` and `[a-z]`, without ever going back further than the last `*`. */
export const matchesGlob = (name: string, pattern: string): boolean => {
  let at = 0
  let star = -1
  let from = 0
  let sign = 0
  while (at < name.length) {
    const one = pattern.charAt(sign)
    const set = one === '[' ? /^\[(!|\^)?(\]?[^\]]*)\]/.exec(pattern.slice(sign)) : null
    if (one === '*') {
      star = sign++
      from = at
    } else if (set && inSet(name.charAt(at), set[2] ?? '') !== (set[1] !== undefined)) {
      sign += set[0].length
      at++
    } else if (set === null && one !== '' && (one === '?' || one === name.charAt(at))) {
      sign++
      at++
    } else if (star === -1) return false
    else {
      sign = star + 1
      at = ++from
    }
  }
  while (pattern.charAt(sign) === '*') sign++
  return sign === pattern.length
}

const inSet = (character: string, set: string): boolean => {
  for (let at = 0; at < set.length; at++) {
    const low = set.charAt(at)
    const isRange = set.charAt(at + 1) === '-' && at + 2 < set.length
    const high = isRange ? set.charAt((at += 2)) : low
    if (character >= low && character <= high) return true
  }
  return false
}

export const isGlob = (text: string): boolean => /[*?[]/.test(text)

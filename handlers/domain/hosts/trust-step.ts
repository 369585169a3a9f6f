/**
 * How far the version of a list of panels may be above the one that a host has: far too little to use versions
 * up, after which no list would ever be newer. Who is to come further is told of versions in between.
 */
export const MOST_TRUST_STEP = 100_000

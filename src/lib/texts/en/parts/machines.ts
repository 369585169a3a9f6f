import { hosts } from '../settings/hosts.ts'

/** Texts of machines that accounts lie on: the part of the pages that add or choose one. */
export const machinesPart = { hosts }

import { hosts } from '../settings/hosts.ts'

/** German texts of machines that accounts lie on: the part of the pages that add or choose one. */
export const machinesPart = { hosts }

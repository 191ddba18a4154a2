import type { Metadata } from 'next'
import { MissingPerson } from '../_parts/MissingPerson'

export const metadata: Metadata = { title: 'Viewer not found' }

export default MissingPerson

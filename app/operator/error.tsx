'use client'

import { AreaError } from '../_ui/page/AreaError'

export default AreaError

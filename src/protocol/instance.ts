/**
 * Names the instance of a server, in every answer: another one after each restart, and for each server behind one address. A request
 * that names one is answered by that instance alone; any other refuses it (412), and runs nothing.
 */
export const INSTANCE_HEADER = 'x-tiltyard-instance';

"""All planted faults."""

from __future__ import annotations

from . import faults_of_clips, faults_of_noise, faults_of_publication, faults_of_sums

FAULTS = (
    *faults_of_sums.FAULTS,
    *faults_of_noise.FAULTS,
    *faults_of_clips.FAULTS,
    *faults_of_publication.FAULTS,
)

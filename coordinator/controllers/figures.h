// The figures' controller: the coordinator's metrics, and HOME/prometheus/workers.json, by which
// Prometheus finds the workers' own pages.
#pragma once

#include "coordinator/controllers/control_context.h"

namespace octet {

void ShowFigures(ControlContext& context);

// The file's text: one target group a worker, labelled with its board and pool.
std::string WriteTargets(const std::map<BoardId, FleetWorker>& workers);

}  // namespace octet
